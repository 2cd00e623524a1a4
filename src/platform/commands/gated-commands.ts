import type { CommandBus, ICommand } from '@nestjs/cqrs';
import type { BackpressureGate, CommandContext } from './context.ts';

/** The command bus as its callers see it. */
export type Commands = Pick<CommandBus, 'execute'>;

/** Backpressure for a part of the service: each of its commands carries the gate in its context, as those of requests do. */
export const gatedCommands = (commands: Commands, gate: BackpressureGate): Commands => ({
  // `never` satisfies each overload: only the caller knows the type of the result.
  execute: (command: ICommand) => commands.execute<ICommand, never>(withGate(command, gate)),
});

/** A copy of the same class, because the bus finds the handler by the prototype. */
function withGate(command: ICommand & { readonly context?: CommandContext }, gate: BackpressureGate): ICommand {
  // `Object.create` is typed `any`.
  const copy = Object.create(Object.getPrototypeOf(command) as object) as object;
  return Object.assign(copy, command, { context: { ...command.context, gate } });
}
