import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from './command-runner.ts';
import type { JointAppend } from './joint-append.ts';

/** Appends what the operations of an atomic batch have decided. */
export class AppendJointly extends Command<void> {
  constructor(
    readonly joint: JointAppend,
    /** Aborts when the client disconnects. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@CommandHandler(AppendJointly)
export class AppendJointlyHandler implements ICommandHandler<AppendJointly> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ joint, signal }: AppendJointly): Promise<void> {
    await this.runner.runJointly(joint, signal);
  }
}
