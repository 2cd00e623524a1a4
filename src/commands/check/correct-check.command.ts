import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { correct, type Correction, correctionsTarget } from '../../domain/check/correction.ts';
import { objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** Answers the id of the correction: of the one before, when it said the same. */
export class CorrectCheck extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly correction: Omit<Correction, 'correctionId'>,
  ) {
    super();
  }
}

@CommandHandler(CorrectCheck)
export class CorrectCheckHandler implements ICommandHandler<CorrectCheck> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  async execute({ context, projectId, correction }: CorrectCheck): Promise<string> {
    const correctionId = objectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    const now = Date.parse(context.occurredAt);
    const { state, events } = await this.runner.run(correctionsTarget(projectId, correction.checkId), context, (corrections) =>
      correct(corrections, { ...correction, correctionId }, now),
    );
    return events[0]?.data.correctionId ?? state.last?.correctionId ?? correctionId;
  }
}
