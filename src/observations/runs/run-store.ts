import type { FencedBatch } from '../packs/pack-writer.ts';
import type { Run } from './run.ts';

/** A run as it comes in, with all that it brought home. */
export interface MadeRun extends Run {
  /** The results entry of the interface, as its maker wrote it; kept as it is. */
  readonly whole: object;
  /** False for a trial run, which changes nothing that is stored about its check. */
  readonly latest: boolean;
}

export interface WholeRun {
  readonly checkId: string;
  readonly at: number;
  readonly whole: object;
}

export interface RunStore {
  /** The names of the leases whose runs were taken; of the others nothing was. */
  accept(batches: readonly FencedBatch<MadeRun>[]): Promise<ReadonlySet<string>>;
  /** From `from` up to, not including, `to`, in order; of one check or of all. */
  between(projectId: string, from: number, to: number, checkId?: string): Promise<readonly Run[]>;
  /** The last run of each check at or before an instant; of those without one within the retention, nothing. */
  lastOf(projectId: string, checkIds: readonly string[], until: number): Promise<ReadonlyMap<string, Run>>;
  /** The latest run of each check, whole. */
  latest(checkIds: readonly string[]): Promise<ReadonlyMap<string, WholeRun>>;
  /** What a job has brought home so far, in the order in which it came. */
  ofJob(jobId: string): Promise<readonly WholeRun[]>;
  /** What some jobs have brought home of one check, in no order. */
  inJobs(checkId: string, jobIds: readonly string[]): Promise<readonly WholeRun[]>;
}

/** Injection token. */
export const RUN_STORE = Symbol('RunStore');
