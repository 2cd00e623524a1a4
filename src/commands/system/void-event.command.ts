import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { systemTarget, voidEvent } from '../../domain/system/system.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** An operator lets every fold pass over an event that none can take. It stays in the log, and so does why. */
export class VoidEvent extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly event: { readonly n: number; readonly eventId: string; readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(VoidEvent)
export class VoidEventHandler implements ICommandHandler<VoidEvent> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, event }: VoidEvent): Promise<void> {
    await this.runner.run(systemTarget, context, (voided) => voidEvent(voided, event));
  }
}
