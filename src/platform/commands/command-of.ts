import { Command } from '@nestjs/cqrs';
import type { CommandContext } from './context.ts';

/** A command is a message: plain data with names, beside who sends it and how it is to be run. */
export abstract class CommandOf<Fields extends object, Result = void> extends Command<Result> {
  constructor(
    readonly context: CommandContext,
    readonly fields: Readonly<Fields>,
  ) {
    super();
  }
}
