import { expect, it } from '@jest/globals';
import type { ICommand } from '@nestjs/cqrs';
import { behindGate } from './command-of.ts';
import { systemContext } from './context.ts';
import { CloseDay } from '../../watches/observation.commands.ts';

it('passes a command on as it is while the gate is open, and refuses it while it is closed', async () => {
  const executed: ICommand[] = [];
  const bus = {
    execute: (command: ICommand) => {
      executed.push(command);
      return Promise.resolve('the answer' as never);
    },
  };
  let isOpen = true;
  const gate = {
    check: () => {
      if (!isOpen) throw new Error('behind');
    },
  };
  const context = systemContext({ kind: 'checker', id: 'eu' }, 0);
  const command = new CloseDay(context, { projectId: 'p', books: { uptime: { day: '2026-11-20' } } as CloseDay['fields']['books'] });
  const commands = behindGate(bus, gate);
  expect(await commands.execute(command)).toBe('the answer');
  isOpen = false;
  await expect(commands.execute(command)).rejects.toThrow('behind');
  expect(executed).toEqual([command]);
  expect(executed[0]).toBe(command);
});
