import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { recordRedirect, type RedirectAnswer, type RedirectOrigin, redirectTarget } from '../../domain/redirect/redirect.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** What a look at the http version of a project means. */
export class RecordRedirect extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly answer: RedirectAnswer,
    readonly origin: RedirectOrigin,
  ) {
    super();
  }
}

@CommandHandler(RecordRedirect)
export class RecordRedirectHandler implements ICommandHandler<RecordRedirect> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, answer, origin }: RecordRedirect): Promise<void> {
    await this.runner.run(redirectTarget(origin.projectId), context, (state) => recordRedirect(state, answer, origin));
  }
}
