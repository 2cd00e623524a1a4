import type { FencedBatch } from '../packs/pack-writer.ts';
import type { Tail } from '../packs/pack-tail.ts';
import type { Run } from './run.ts';

/** A new run with its full result. */
export interface MadeRun extends Run {
  /** The API's results entry, stored as the checker wrote it. */
  readonly whole: object;
  /** False for a trial run, which leaves the check's latest run unchanged. */
  readonly latest: boolean;
  /** A hash of what was requested: what earlier runs show counts for the same request only. */
  readonly requested: string;
  /** Whether the page of a passing run ended with `</html>`; null where it says nothing about that. */
  readonly ends: boolean | null;
}

export interface WholeRun {
  readonly checkId: string;
  readonly at: number;
  readonly whole: object;
}

/** A check, and the project that it is of: runs are stored by project. */
export interface CheckOfRun {
  readonly projectId: string;
  readonly checkId: string;
}

export abstract class RunStore {
  /** The names of the leases whose runs were written; runs of the other leases are dropped. */
  abstract accept(batches: readonly FencedBatch<MadeRun>[]): Promise<ReadonlySet<string>>;
  /** From `from`, up to but excluding `to`, in order; of one check or of all; only those that were recorded until then, if that is given. */
  abstract between(projectId: string, from: number, to: number, checkId?: string, recordedUntil?: number): Promise<readonly Run[]>;
  /** The runs of many projects since an instant, in one read. */
  abstract tail(projectIds: readonly string[], from: number): Promise<Tail<Run>>;
  /** The last run of each check that was made and recorded until an instant, as far as the retention reaches. */
  abstract lastOf(projectId: string, checkIds: readonly string[], until: number): Promise<ReadonlyMap<string, Run>>;
  /** The last run of each check before an instant of its own, as far as the retention reaches; only those that were recorded until then, if that is given. */
  abstract lastBefore(projectId: string, instants: ReadonlyMap<string, number>, recordedUntil?: number): Promise<ReadonlyMap<string, Run>>;
  /** The latest run of each check with its full result. */
  abstract latest(checks: readonly CheckOfRun[]): Promise<ReadonlyMap<string, WholeRun>>;
  /** The times of the latest runs of a project, the newest first, also of deleted checks. */
  abstract latestOf(projectId: string, limit: number): Promise<readonly Pick<WholeRun, 'checkId' | 'at'>[]>;
  /** Whether every passing run of this request has ended with `</html>`, of one check or of any; false where nothing is known. */
  abstract haveEnded(projectId: string, requested: string, checkId: string | null): Promise<boolean>;
  /** The runs of a job so far, in order of time. */
  abstract ofJob(projectId: string, jobId: string): Promise<readonly WholeRun[]>;
  /** The runs of one check in these jobs, in no particular order. */
  abstract inJobs(check: CheckOfRun, jobIds: readonly string[]): Promise<readonly WholeRun[]>;
}

/** Injection token of the one over the checker's own connections. */
export const CHECKER_RUN_STORE = Symbol('CheckerRunStore');
