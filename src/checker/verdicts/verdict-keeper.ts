import type { CommandBus } from '@nestjs/cqrs';
import { systemContext } from '../../commands/context.ts';
import { RecordRun } from '../../commands/observation.commands.ts';
import {
  type AcceptedRun,
  awaitsConfirmation,
  LOOK_BACK,
  noRecentRuns,
  observeRun,
  type RecentRuns,
} from '../../domain/verdict/recent-runs.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EventChain } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import { acceptedOf } from './accepted-run.ts';

export interface RunOfCheck {
  readonly projectId: string;
  readonly checkId: string;
  readonly run: AcceptedRun;
  readonly confirming: boolean;
  /** Of the job that somebody started; null for the schedule's runs. */
  readonly chain: EventChain | null;
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

/** What is known of the checks of a project. */
interface Standing {
  readonly known: Map<string, Known>;
  /** The last run of each that was decided from here. */
  readonly decided: Map<string, number>;
  /** Nobody knows what became of their last run. */
  readonly doubted: Set<string>;
  loading: Promise<void> | undefined;
}

/** From accepted runs to verdicts. What was accepted before this process looked is folded again, so that it decides like whoever looked before. */
export class VerdictKeeper {
  private readonly projects = new Map<string, Standing>();

  constructor(private readonly options: VerdictKeeperOptions) {}

  async record({ projectId, checkId, run, confirming, chain, again = false }: RunOfCheck): Promise<Recorded> {
    const standing = this.standingOf(projectId);
    const recent = await this.before(standing, projectId, checkId, run.at);
    const actor = { kind: 'checker', id: run.evidence.location } as const;
    const commandId = derivedId('run', checkId, run.at);
    const context = systemContext(actor, this.options.clock.now(), { commandId, chain, repeat: again });
    const origin = { projectId, checkId, confirming, chained: chain !== null };
    const { verdict, changed, recent: next } = await this.options.commands.execute(new RecordRun(context, recent, run, origin));
    const { known, decided, doubted } = standing;
    decided.set(checkId, Math.max(decided.get(checkId) ?? -Infinity, run.at));
    // A run that was decided from again may be older than what has been seen meanwhile.
    if (doubted.delete(checkId) || (known.get(checkId)?.at ?? -Infinity) <= run.at) known.set(checkId, { recent: next, at: run.at });
    return { changed, suspect: awaitsConfirmation(next) && verdict.standing.kind === 'ok' };
  }

  /** A run at that instant, or a later one, has been decided from here. */
  hasSeen(projectId: string, checkId: string, at: number): boolean {
    return (this.projects.get(projectId)?.decided.get(checkId) ?? -Infinity) >= at;
  }

  /** Another checker may look at it meanwhile, or it is gone: what is known here is worth nothing any more. */
  forget(projectId: string): void {
    this.projects.delete(projectId);
  }

  /** Its last run, or the verdict from it, may be written or not; the other checks of the project are as they were. */
  doubt(projectId: string, checkId: string): void {
    this.projects.get(projectId)?.doubted.add(checkId);
  }

  /** The check was deleted. */
  dismiss(projectId: string, checkId: string): void {
    const standing = this.projects.get(projectId);
    standing?.known.delete(checkId);
    standing?.decided.delete(checkId);
    standing?.doubted.delete(checkId);
  }

  /** Of how many checks something is kept. */
  get size(): number {
    return [...this.projects.values()].reduce((sum, { known }) => sum + known.size, 0);
  }

  private standingOf(projectId: string): Standing {
    let standing = this.projects.get(projectId);
    if (standing === undefined) {
      standing = { known: new Map(), decided: new Map(), doubted: new Set(), loading: undefined };
      this.projects.set(projectId, standing);
    }
    return standing;
  }

  /** The runs before this one. Where the store was asked after this one was accepted, it is asked again for those before it alone. */
  private async before(standing: Standing, projectId: string, checkId: string, at: number): Promise<RecentRuns> {
    await this.load(standing, projectId, at);
    const known = standing.known.get(checkId);
    if (!standing.doubted.has(checkId) && (known === undefined || known.at < at)) return known?.recent ?? noRecentRuns;
    const runs = await this.options.runs.between(projectId, at - LOOK_BACK, at, checkId);
    return runs.reduce((recent, run) => observeRun(recent, acceptedOf(run)), noRecentRuns);
  }

  private async load(standing: Standing, projectId: string, before: number): Promise<void> {
    const loading = (standing.loading ??= this.fold(standing, projectId, before));
    try {
      await loading;
    } catch (error) {
      if (standing.loading === loading) standing.loading = undefined;
      throw error;
    }
  }

  private async fold({ known }: Standing, projectId: string, before: number): Promise<void> {
    for (const run of await this.options.runs.between(projectId, before - LOOK_BACK, before)) {
      const recent = known.get(run.checkId)?.recent ?? noRecentRuns;
      known.set(run.checkId, { recent: observeRun(recent, acceptedOf(run)), at: run.at });
    }
  }
}
