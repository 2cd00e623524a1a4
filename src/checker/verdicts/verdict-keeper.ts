import type { CommandBus } from '@nestjs/cqrs';
import { ownContext } from '../../commands/context.ts';
import { RecordRun } from '../../commands/verdict/record-run.command.ts';
import {
  type AcceptedRun,
  awaitsConfirmation,
  LOOK_BACK,
  noRecentRuns,
  observeRun,
  type RecentRuns,
} from '../../domain/verdict/recent-runs.ts';
import type { Clock } from '../../kernel/clock.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import { acceptedOf } from './accepted-run.ts';

export interface RunOfCheck {
  readonly projectId: string;
  readonly checkId: string;
  readonly run: AcceptedRun;
  readonly confirming: boolean;
  /** Of the job that somebody started; null for the schedule's runs. */
  readonly chain: { readonly correlationId: string; readonly causationId: string } | null;
  /** It may have been decided from before. */
  readonly again?: boolean;
}

export interface VerdictKeeperOptions {
  readonly commands: Pick<CommandBus, 'execute'>;
  readonly runs: Pick<RunStore, 'between'>;
  readonly clock: Clock;
}

export interface Recorded {
  readonly changed: boolean;
  /** A second run has to confirm what this one found. */
  readonly suspect: boolean;
}

interface Known {
  readonly recent: RecentRuns;
  /** Of the last run that it stands on. */
  readonly at: number;
}

/** From accepted runs to verdicts. What was accepted before this process looked is folded again, so that it decides like whoever looked before. */
export class VerdictKeeper {
  private readonly known = new Map<string, Known>();
  private readonly decided = new Map<string, number>();
  private readonly loading = new Map<string, Promise<void>>();
  private readonly loaded = new Set<string>();

  constructor(private readonly options: VerdictKeeperOptions) {}

  async record({ projectId, checkId, run, confirming, chain, again = false }: RunOfCheck): Promise<Recorded> {
    const recent = await this.before(projectId, checkId, run.at);
    const actor = { kind: 'checker', id: run.evidence.location } as const;
    const commandId = derivedId('run', checkId, run.at);
    const context = ownContext(actor, this.options.clock.now(), { commandId, chain, repeat: again });
    const origin = { projectId, checkId, confirming, chained: chain !== null };
    const { verdict, changed } = await this.options.commands.execute(new RecordRun(context, recent, run, origin));
    const next = observeRun(recent, run);
    this.decided.set(checkId, Math.max(this.decided.get(checkId) ?? -Infinity, run.at));
    // A run that was decided from again may be older than what has been seen meanwhile.
    if ((this.known.get(checkId)?.at ?? -Infinity) <= run.at) this.known.set(checkId, { recent: next, at: run.at });
    return { changed, suspect: awaitsConfirmation(next) && verdict.standing.kind === 'ok' };
  }

  /** A run at that instant, or a later one, has been decided from here. */
  hasSeen(checkId: string, at: number): boolean {
    return (this.decided.get(checkId) ?? -Infinity) >= at;
  }

  /** Another checker may look at it meanwhile: what is known here is worth nothing any more. */
  forget(projectId: string, checkIds: Iterable<string>): void {
    this.loaded.delete(projectId);
    this.loading.delete(projectId);
    for (const checkId of checkIds) {
      this.known.delete(checkId);
      this.decided.delete(checkId);
    }
  }

  /** The runs before this one. Where the store was asked after this one was accepted, it is asked again for those before it alone. */
  private async before(projectId: string, checkId: string, at: number): Promise<RecentRuns> {
    await this.load(projectId, at);
    const known = this.known.get(checkId);
    if (known === undefined) return noRecentRuns;
    if (known.at < at) return known.recent;
    const runs = await this.options.runs.between(projectId, at - LOOK_BACK, at, checkId);
    return runs.reduce((recent, run) => observeRun(recent, acceptedOf(run)), noRecentRuns);
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
    for (const run of await this.options.runs.between(projectId, before - LOOK_BACK, before)) {
      const recent = this.known.get(run.checkId)?.recent ?? noRecentRuns;
      this.known.set(run.checkId, { recent: observeRun(recent, acceptedOf(run)), at: run.at });
    }
    this.loaded.add(projectId);
  }
}
