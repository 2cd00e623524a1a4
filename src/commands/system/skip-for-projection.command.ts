import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Events } from '../../domain/events.ts';
import { skipForProjection, systemTarget } from '../../domain/system/system.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** An operator lets one version of a team's projection pass over an event that it cannot take; nobody else does. */
export class SkipForProjection extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly skipped: Events['ProjectionEventSkipped'],
  ) {
    super();
  }
}

@CommandHandler(SkipForProjection)
export class SkipForProjectionHandler implements ICommandHandler<SkipForProjection> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, skipped }: SkipForProjection): Promise<void> {
    await this.runner.run(systemTarget, context, (passed) => skipForProjection(passed, skipped));
  }
}
