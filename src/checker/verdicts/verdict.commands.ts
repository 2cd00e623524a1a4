import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { type AcceptedRun, observeRun, type RecentRuns } from './recent-runs.ts';
import { recordRun, type RunOrigin, skipRun } from './verdict.decider.ts';
import type { MissingValue } from './verdict.events.ts';
import { type Verdict, verdictTarget } from './verdict.state.ts';

export interface RecordedRun {
  readonly verdict: Verdict;
  readonly changed: boolean;
  /** The recent runs, with this one. */
  readonly recent: RecentRuns;
}

/** Decides what an accepted run changes about the verdict on its check. */
export class RecordRun extends CommandOf<
  {
    /** The accepted runs before it. */
    recent: RecentRuns;
    run: AcceptedRun;
    origin: RunOrigin;
  },
  RecordedRun
> {}

@CommandHandler(RecordRun)
export class RecordRunHandler implements ICommandHandler<RecordRun> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { recent, run, origin } }: RecordRun): Promise<RecordedRun> {
    const target = verdictTarget(origin.projectId, origin.checkId);
    const chained = origin.chained || context.chain !== null;
    const { state, events, result } = await this.runner.run(
      target,
      context,
      (verdict) => recordRun(verdict, recent, run, { ...origin, chained }),
      // A repeat comes from the new owner of a shard, whose state may be of its former tenure.
      { isContinual: !context.repeat },
    );
    return { verdict: state, changed: events.length > 0, recent: result ?? observeRun(recent, run) };
  }
}

/** Records that a check could not be run for want of a value. */
export class SkipRun extends CommandOf<{ projectId: string; checkId: string; missing: MissingValue }> {}

@CommandHandler(SkipRun)
export class SkipRunHandler implements ICommandHandler<SkipRun> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, checkId, missing } }: SkipRun): Promise<void> {
    await this.runner.run(verdictTarget(projectId, checkId), context, (verdict) => skipRun(verdict, checkId, context.occurredAt, missing));
  }
}
