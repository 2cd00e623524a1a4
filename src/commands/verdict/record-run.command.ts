import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { recordRun, type RunOrigin } from '../../domain/verdict/decisions.ts';
import type { AcceptedRun, RecentRuns } from '../../domain/verdict/recent-runs.ts';
import { type Verdict, verdictTarget } from '../../domain/verdict/verdict.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** What an accepted run changes about the verdict on its check. Answers the verdict, and whether anything changed. */
export class RecordRun extends Command<{ readonly verdict: Verdict; readonly changed: boolean }> {
  constructor(
    readonly context: CommandContext,
    readonly recent: RecentRuns,
    readonly run: AcceptedRun,
    readonly origin: RunOrigin,
  ) {
    super();
  }
}

@CommandHandler(RecordRun)
export class RecordRunHandler implements ICommandHandler<RecordRun> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, recent, run, origin }: RecordRun): Promise<{ verdict: Verdict; changed: boolean }> {
    const target = verdictTarget(origin.projectId, origin.checkId);
    // A run that may confirm a suspicion goes on with its chain; any other begins one, or belongs to a job's.
    const chain = context.chain ?? (run.failing === null && !origin.confirming ? null : (await this.runner.read(target)).suspicion?.chain);
    const chained = chain !== null && chain !== undefined;
    const given = { ...context, chain: chain ?? null };
    const { state, events } = await this.runner.run(target, given, (known) =>
      recordRun(known, recent, run, { ...origin, chained: origin.chained || chained }),
    );
    return { verdict: state, changed: events.length > 0 };
  }
}
