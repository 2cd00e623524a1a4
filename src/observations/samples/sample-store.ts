import type { FencedBatch } from '../packs/pack-writer.ts';
import type { Outcome, Sample } from './sample.ts';

export interface SampleStore {
  /** The names of the leases whose samples were taken; of the others nothing was. */
  accept(batches: readonly FencedBatch<Sample>[]): Promise<ReadonlySet<string>>;
  /** From `from` up to, not including, `to`, in order. */
  between(projectId: string, from: number, to: number): Promise<readonly Sample[]>;
  /** The same without the phases. */
  outcomes(projectId: string, from: number, to: number): Promise<readonly Outcome[]>;
  /** The last one at or before an instant, within the retention. */
  last(projectId: string, until: number): Promise<Sample | null>;
}

/** What reports are made of. */
export type SampleReader = Pick<SampleStore, 'between' | 'outcomes'>;

/** Injection token. */
export const SAMPLE_STORE = Symbol('SampleStore');
