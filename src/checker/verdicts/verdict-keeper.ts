import { systemContext } from '../../platform/commands/context.ts';
import type { Commands } from '../../platform/commands/command-of.ts';
import { RecordRun, SkipRun } from './verdict.commands.ts';
import { LOOK_BACK } from '../instability.ts';
import type { MissingValue } from './verdict.events.ts';
import { type AcceptedRun, awaitsConfirmation, noRecentRuns, observeRun, type RecentRuns } from './recent-runs.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EventChain } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import type { Run } from '../../platform/observations/runs/run.ts';
import type { Decisiveness } from '../evidence/keep-evidence.ts';

export interface RunOfCheck {
  readonly projectId: string;
  readonly checkId: string;
  readonly run: AcceptedRun;
  readonly confirming: boolean;
  /** The chain of the job that started the run; null for scheduled runs. */
  readonly chain: EventChain | null;
  /** W3C Trace Context of the fetch. */
  readonly traceparent?: string;
  /** The command may have been executed before. */
  readonly isRepeat?: boolean;
}

export interface VerdictKeeperOptions {
  readonly commands: Commands;
  readonly runs: Pick<RunStore, 'between' | 'tail'>;
  readonly clock: Clock;
  /** Ends after other work that waits. */
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

export interface RecordedVerdict {
  readonly changed: boolean;
  /** A second run has to confirm the failure. */
  readonly needsConfirmation: boolean;
}

interface FoldedRuns {
  readonly recent: RecentRuns;
  /** The instant of the last folded run. */
  readonly at: number;
}

interface ProjectRuns {
  readonly folded: Map<string, FoldedRuns>;
  /** Whether the stored runs were read. */
  areRead: boolean;
  /** The last run of each check that this process decided from. */
  readonly decided: Map<string, number>;
  /** Checks whose last run may or may not have been stored or decided from. */
  readonly doubted: Set<string>;
  /** Whether the runs before were read with those of the whole shard. */
  withShard: Promise<boolean> | undefined;
  loading: Promise<void> | undefined;
}

/** Projects between two pauses, in which other work goes on. */
const FOLDED_AT_ONCE = 50;

/** Decides verdicts from accepted runs. Recent runs of other processes are read from the store and folded first, so that all decide alike. */
export class VerdictKeeper {
  private readonly projects = new Map<string, ProjectRuns>();

  constructor(private readonly options: VerdictKeeperOptions) {}

  async record({ projectId, checkId, run, confirming, chain, traceparent, isRepeat = false }: RunOfCheck): Promise<RecordedVerdict> {
    const runs = this.runsOf(projectId);
    const recent = await this.recentBefore(runs, projectId, checkId, run.at);
    const actor = { kind: 'checker', id: run.evidence.location } as const;
    const commandId = derivedId('run', checkId, run.at);
    const context = systemContext(actor, this.options.clock.now(), {
      commandId,
      chain,
      repeat: isRepeat,
      ...(traceparent !== undefined && { traceparent }),
    });
    const origin = { projectId, checkId, confirming, chained: chain !== null };
    const { verdict, changed, recent: next } = await this.options.commands.execute(new RecordRun(context, { recent, run, origin }));
    const { folded, decided, doubted } = runs;
    decided.set(checkId, Math.max(decided.get(checkId) ?? -Infinity, run.at));
    // A repeated run may be older than the folded ones.
    if (doubted.delete(checkId) || (folded.get(checkId)?.at ?? -Infinity) <= run.at) folded.set(checkId, { recent: next, at: run.at });
    return { changed, needsConfirmation: awaitsConfirmation(next) && verdict.standing.kind === 'ok' };
  }

  /** Whether a run may end in an event about the verdict: as far as the runs before it show. */
  decisiveness(projectId: string, checkId: string, isFailing: boolean): Decisiveness {
    const runs = this.projects.get(projectId);
    const folded = runs?.folded.get(checkId);
    const series = folded?.recent.series ?? null;
    // Another failure than the confirmed one is an event, too.
    if (isFailing) return series?.confirmed === true ? 'unknown' : 'likely';
    if (series !== null) return 'likely';
    if (folded !== undefined) return 'no';
    // The first run of a check, or the first for hours.
    return runs?.areRead === true && !runs.doubted.has(checkId) ? 'likely' : 'unknown';
  }

  /** A check of a journey was not run, for want of a value. */
  async skip(projectId: string, checkId: string, chain: EventChain | null, missing: MissingValue): Promise<void> {
    const now = this.options.clock.now();
    const commandId = derivedId('skip', checkId, now);
    const context = systemContext({ kind: 'checker', id: 'checker' }, now, { commandId, chain, repeat: false });
    await this.options.commands.execute(new SkipRun(context, { projectId, checkId, missing }));
  }

  /** Whether this process decided from a run at that instant or a later one. */
  hasDecided(projectId: string, checkId: string, at: number): boolean {
    return (this.projects.get(projectId)?.decided.get(checkId) ?? -Infinity) >= at;
  }

  /** When a shard was taken over: reads the runs before of all its projects at once. */
  beginProjects(projectIds: readonly string[]): void {
    const begun = projectIds.map((projectId) => {
      this.projects.delete(projectId);
      return [projectId, this.runsOf(projectId)] as const;
    });
    const folded = this.foldAll(begun).then(
      () => true,
      () => false,
    );
    for (const [, runs] of begun) runs.withShard = folded;
  }

  /** When the project moves to another checker, or is deleted. */
  forgetProject(projectId: string): void {
    this.projects.delete(projectId);
  }

  /** It is unknown whether the last run, or its verdict, was stored: the next decision reads the stored runs. */
  doubt(projectId: string, checkId: string): void {
    this.projects.get(projectId)?.doubted.add(checkId);
  }

  forgetCheck(projectId: string, checkId: string): void {
    const runs = this.projects.get(projectId);
    runs?.folded.delete(checkId);
    runs?.decided.delete(checkId);
    runs?.doubted.delete(checkId);
  }

  /** Checks with folded runs. */
  get size(): number {
    return [...this.projects.values()].reduce((sum, { folded }) => sum + folded.size, 0);
  }

  private runsOf(projectId: string): ProjectRuns {
    let runs = this.projects.get(projectId);
    if (runs === undefined) {
      runs = { folded: new Map(), areRead: false, decided: new Map(), doubted: new Set(), withShard: undefined, loading: undefined };
      this.projects.set(projectId, runs);
    }
    return runs;
  }

  private async recentBefore(runs: ProjectRuns, projectId: string, checkId: string, at: number): Promise<RecentRuns> {
    await this.load(runs, projectId, at);
    const folded = runs.folded.get(checkId);
    if (!runs.doubted.has(checkId) && (folded === undefined || folded.at < at)) return folded?.recent ?? noRecentRuns;
    // The project was loaded after this run had been stored: only the runs before it count.
    const stored = await this.options.runs.between(projectId, at - LOOK_BACK, at, checkId);
    return stored.reduce((recent, run) => observeRun(recent, acceptedOf(run)), noRecentRuns);
  }

  /** Once per project; concurrent callers share the read, and a failed one is repeated. */
  private async load(runs: ProjectRuns, projectId: string, before: number): Promise<void> {
    if (runs.withShard !== undefined) {
      const isFolded = await runs.withShard;
      if (isFolded) runs.loading ??= Promise.resolve();
      else if (runs.loading === undefined) runs.folded.clear();
      runs.withShard = undefined;
    }
    const loading = (runs.loading ??= this.foldStored(runs, projectId, before));
    try {
      await loading;
    } catch (error) {
      if (runs.loading === loading) runs.loading = undefined;
      throw error;
    }
  }

  private async foldStored(runs: ProjectRuns, projectId: string, before: number): Promise<void> {
    foldRuns(runs, await this.options.runs.between(projectId, before - LOOK_BACK, before));
  }

  private async foldAll(projects: readonly (readonly [projectId: string, runs: ProjectRuns])[]): Promise<void> {
    const { runs: store, clock, sleep } = this.options;
    const from = clock.now() - LOOK_BACK;
    const tail = await store.tail(
      projects.map(([projectId]) => projectId),
      from,
    );
    for (const [index, [projectId, runs]] of projects.entries()) {
      if (index % FOLDED_AT_ONCE === FOLDED_AT_ONCE - 1) await sleep(0);
      foldRuns(runs, tail.between(projectId, from, Infinity));
    }
  }
}

function foldRuns(project: ProjectRuns, runs: readonly Run[]): void {
  const { folded } = project;
  for (const run of runs) {
    const recent = folded.get(run.checkId)?.recent ?? noRecentRuns;
    folded.set(run.checkId, { recent: observeRun(recent, acceptedOf(run)), at: run.at });
  }
  project.areRead = true;
}

/** A stored run with as much evidence as the fold needs. */
const acceptedOf = (run: Run): AcceptedRun => ({
  at: run.at,
  failing: run.outcome === 'ok' ? null : { status: run.outcome, rules: [], failures: run.failures },
  evidence: {
    runId: derivedId('run', run.checkId, run.at),
    url: '',
    at: new Date(run.at).toISOString(),
    location: '',
    httpStatus: run.httpStatus === 0 ? null : run.httpStatus,
    milliseconds: run.total,
    page: run.page,
  },
});
