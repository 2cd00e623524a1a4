import type { CommandBus } from '@nestjs/cqrs';
import { ownContext } from '../../commands/context.ts';
import { RecordRun } from '../../commands/verdict/record-run.command.ts';
import { type AcceptedRun, LOOK_BACK, noRecentRuns, observeRun, type RecentRuns } from '../../domain/verdict/recent-runs.ts';
import type { Clock } from '../../kernel/clock.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import type { Run } from '../../observations/runs/run.ts';

export interface RunOfCheck {
  readonly projectId: string;
  readonly checkId: string;
  readonly run: AcceptedRun;
  readonly confirming: boolean;
  /** Of the job that somebody started; null for the schedule's runs. */
  readonly chain: { readonly correlationId: string; readonly causationId: string } | null;
}

export interface VerdictKeeperOptions {
  readonly commands: CommandBus;
  readonly runs: Pick<RunStore, 'between'>;
  readonly clock: Clock;
}

/** From accepted runs to verdicts. What was accepted before this process looked is folded again, so that it decides like whoever looked before. */
export class VerdictKeeper {
  private readonly recent = new Map<string, RecentRuns>();
  private readonly loading = new Map<string, Promise<void>>();
  private readonly loaded = new Set<string>();

  constructor(private readonly options: VerdictKeeperOptions) {}

  /** Answers when a second run has to confirm what this one found, null when none has to. */
  async record({
    projectId,
    checkId,
    run,
    confirming,
    chain,
  }: RunOfCheck): Promise<{ readonly changed: boolean; readonly suspect: boolean }> {
    await this.load(projectId, run.at);
    const recent = this.recent.get(checkId) ?? noRecentRuns;
    const actor = { kind: 'checker', id: run.evidence.location } as const;
    const commandId = derivedId('run', checkId, run.at);
    const context = ownContext(actor, this.options.clock.now(), { commandId, chain, repeat: false });
    const origin = { projectId, checkId, confirming, chained: chain !== null };
    const { verdict, changed } = await this.options.commands.execute(new RecordRun(context, recent, run, origin));
    const next = observeRun(recent, run);
    this.recent.set(checkId, next);
    return { changed, suspect: next.open !== null && verdict.standing.kind === 'ok' };
  }

  /** Another checker may look at it meanwhile: what is known here is worth nothing any more. */
  forget(projectId: string, checkIds: Iterable<string>): void {
    this.loaded.delete(projectId);
    for (const checkId of checkIds) this.recent.delete(checkId);
  }

  private async load(projectId: string, before: number): Promise<void> {
    if (this.loaded.has(projectId)) return;
    let loading = this.loading.get(projectId);
    if (loading === undefined) {
      loading = this.fold(projectId, before).finally(() => this.loading.delete(projectId));
      this.loading.set(projectId, loading);
    }
    await loading;
  }

  private async fold(projectId: string, before: number): Promise<void> {
    for (const run of await this.options.runs.between(projectId, before - LOOK_BACK, before))
      this.recent.set(run.checkId, observeRun(this.recent.get(run.checkId) ?? noRecentRuns, acceptedOf(run)));
    this.loaded.add(projectId);
  }
}

/** As much of a stored run as looking back needs. */
const acceptedOf = (run: Run): AcceptedRun => ({
  at: run.at,
  failing: run.outcome === 'ok' ? null : { status: run.outcome, rules: [], failures: run.failures },
  evidence: {
    runId: derivedId('run', run.checkId, run.at),
    url: '',
    at: new Date(run.at).toISOString(),
    location: '',
    httpStatus: run.httpStatus,
    milliseconds: run.total,
    page: run.page,
  },
});
