import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { correct, type Correction, correctionsTarget } from './correction.decider.ts';

/** Answers the id of the correction: of the one before, when it said the same. */
export class CorrectCheck extends CommandOf<{ projectId: string; correction: Omit<Correction, 'correctionId'> }, string> {}

@CommandHandler(CorrectCheck)
export class CorrectCheckHandler implements ICommandHandler<CorrectCheck> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, fields: { projectId, correction } }: CorrectCheck): Promise<string> {
    const correctionId = await newObjectId(this.secrets, context);
    const now = Date.parse(context.occurredAt);
    const { state, events } = await this.runner.run(correctionsTarget(projectId, correction.checkId), context, (corrections) =>
      correct(corrections, { ...correction, correctionId }, now),
    );
    return events[0]?.data.correctionId ?? state.last?.correctionId ?? correctionId;
  }
}
