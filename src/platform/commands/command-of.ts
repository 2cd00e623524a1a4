import { Command, type CommandBus, type ICommand } from '@nestjs/cqrs';
import type { BackpressureGate, CommandContext } from './context.ts';

/** A command is a message: plain data with names, beside who sends it and how it is to be run. */
export abstract class CommandOf<Fields extends object, Result = void> extends Command<Result> {
  constructor(
    readonly context: CommandContext,
    readonly fields: Readonly<Fields>,
  ) {
    super();
  }
}

/** The command bus as its callers see it. */
export type Commands = Pick<CommandBus, 'execute'>;

/** Backpressure for a part of the service: its commands are refused while the gate is closed, as those of requests are. */
export const behindGate = (commands: Commands, gate: BackpressureGate): Commands => ({
  execute: async (command: ICommand) => {
    gate.check();
    // `never` satisfies each overload: only the caller knows the type of the result.
    return commands.execute<ICommand, never>(command);
  },
});
