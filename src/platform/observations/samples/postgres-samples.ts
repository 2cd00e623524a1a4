import { PackReader } from '../packs/pack-reader.ts';
import { type AcceptanceWindow, type FencedBatch, PackWriter } from '../packs/pack-writer.ts';
import type { Tail } from '../packs/pack-tail.ts';
import type { PackKind } from '../packs/pack-kind.ts';
import type { ObservationDb } from '../schemas.ts';
import { packSamples, unpackOutcomes, unpackSamples } from './sample.codec.ts';
import { inTimeOrder, type Sample, type SampleOutcome } from './sample.ts';
import type { SampleStore } from './sample-store.ts';
import { hourSummaryOf, packSummary } from './hour-summary.ts';

export const sampleKind: PackKind<Sample> = {
  name: 'sample',
  pack: packSamples,
  unpack: unpackSamples,
  inOrder: inTimeOrder,
  summarize: (hour, samples, packed) => packSummary(hour, hourSummaryOf(hour, samples), packed.length),
};

/** Reads the same rows without the phases. */
export const outcomeKind: Omit<PackKind<SampleOutcome>, 'pack'> = { name: 'sample', unpack: unpackOutcomes, inOrder: inTimeOrder };

export class PostgresSamples implements SampleStore {
  private readonly writer: PackWriter<Sample>;
  private readonly reader: PackReader<Sample>;
  private readonly outcomeReader: PackReader<SampleOutcome>;

  constructor(db: ObservationDb, window?: AcceptanceWindow) {
    this.writer = new PackWriter(db, sampleKind, window);
    this.reader = new PackReader(db, sampleKind);
    this.outcomeReader = new PackReader(db, outcomeKind);
  }

  accept(batches: readonly FencedBatch<Sample>[]): Promise<ReadonlySet<string>> {
    return this.writer.accept(batches);
  }

  between(projectId: string, from: number, to: number, recordedUntil?: number): Promise<readonly Sample[]> {
    return this.reader.between(projectId, from, to, recordedUntil);
  }

  outcomes(projectId: string, from: number, to: number, recordedUntil?: number): Promise<readonly SampleOutcome[]> {
    return this.outcomeReader.between(projectId, from, to, recordedUntil);
  }

  tail(projectIds: readonly string[], from: number): Promise<Tail<SampleOutcome>> {
    return this.outcomeReader.tail(projectIds, from);
  }

  async last(projectId: string, until: number): Promise<Sample | null> {
    for await (const [latest] of this.reader.backwards(projectId, until)) return latest ?? null;
    return null;
  }
}
