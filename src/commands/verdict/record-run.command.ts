import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { recordRun, type RunOrigin } from '../../domain/verdict/decisions.ts';
import { type AcceptedRun, observeRun, type RecentRuns } from '../../domain/verdict/recent-runs.ts';
import { type Verdict, verdictTarget } from '../../domain/verdict/verdict.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

export interface RecordedRun {
  readonly verdict: Verdict;
  readonly changed: boolean;
  /** The recent runs, with this one. */
  readonly recent: RecentRuns;
}

/** Decides what an accepted run changes about the verdict on its check. */
export class RecordRun extends Command<RecordedRun> {
  constructor(
    readonly context: CommandContext,
    /** The accepted runs before it. */
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

  async execute({ context, recent, run, origin }: RecordRun): Promise<RecordedRun> {
    const target = verdictTarget(origin.projectId, origin.checkId);
    const chained = origin.chained || context.chain !== null;
    const { state, events, result } = await this.runner.run(target, context, (verdict) =>
      recordRun(verdict, recent, run, { ...origin, chained }),
    );
    return { verdict: state, changed: events.length > 0, recent: result ?? observeRun(recent, run) };
  }
}
