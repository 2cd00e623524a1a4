import { expect, it } from '@jest/globals';
import type { ICommand } from '@nestjs/cqrs';
import { systemContext } from './context.ts';
import { gatedCommands } from './gated-commands.ts';
import { CloseDay } from '../../watches/observation.commands.ts';

it('puts the gate into the context of a command, and leaves the rest as it is', async () => {
  const gate = { check: () => undefined };
  const executed: ICommand[] = [];
  const bus = {
    execute: (command: ICommand) => {
      executed.push(command);
      return Promise.resolve('the answer' as never);
    },
  };
  const context = systemContext({ kind: 'checker', id: 'eu' }, 0);
  const command = new CloseDay(context, { projectId: 'p', books: { uptime: { day: '2026-11-20' } } as CloseDay['fields']['books'] });
  expect(await gatedCommands(bus, gate).execute(command)).toBe('the answer');
  expect(executed).toEqual([new CloseDay({ ...context, gate }, command.fields)]);
  expect(executed[0]).toBeInstanceOf(CloseDay);
  expect(command.context).toBe(context);
});
