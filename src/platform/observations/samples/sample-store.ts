import type { FencedBatch } from '../packs/pack-writer.ts';
import type { Tail } from '../packs/pack-tail.ts';
import type { SampleOutcome, Sample } from './sample.ts';

export abstract class SampleStore {
  /** The names of the leases whose samples were written; samples of the other leases are dropped. */
  abstract accept(batches: readonly FencedBatch<Sample>[]): Promise<ReadonlySet<string>>;
  /** From `from`, up to but excluding `to`, in order; only those that were recorded until then, if that is given. */
  abstract between(projectId: string, from: number, to: number, recordedUntil?: number): Promise<readonly Sample[]>;
  /** The same without the phases. */
  abstract outcomes(projectId: string, from: number, to: number, recordedUntil?: number): Promise<readonly SampleOutcome[]>;
  /** The outcomes of many projects since an instant, in one read. */
  abstract tail(projectIds: readonly string[], from: number): Promise<Tail<SampleOutcome>>;
  /** The last one at or before an instant, within the retention. */
  abstract last(projectId: string, until: number): Promise<Sample | null>;
}

/** The part that reports read. */
export type SampleReader = Pick<SampleStore, 'between' | 'outcomes'>;

/** Injection token of the one over the checker's own connections. */
export const CHECKER_SAMPLE_STORE = Symbol('CheckerSampleStore');
