import type pg from 'pg';
import { PackReader } from '../packs/pack-reader.ts';
import { type AcceptanceWindow, type FencedBatch, PackWriter } from '../packs/pack-writer.ts';
import type { Outcome, Sample } from './sample.ts';
import { outcomeKind, sampleKind } from './sample-kind.ts';
import type { SampleStore } from './sample-store.ts';

export class PostgresSamples implements SampleStore {
  private readonly writer: PackWriter<Sample>;
  private readonly reader: PackReader<Sample>;
  private readonly outcomeReader: PackReader<Outcome>;

  constructor(db: Pick<pg.Pool, 'query'>, window?: AcceptanceWindow) {
    this.writer = new PackWriter(db, sampleKind, window);
    this.reader = new PackReader(db, sampleKind);
    this.outcomeReader = new PackReader(db, outcomeKind);
  }

  accept(batches: readonly FencedBatch<Sample>[]): Promise<ReadonlySet<string>> {
    return this.writer.accept(batches);
  }

  between(projectId: string, from: number, to: number): Promise<readonly Sample[]> {
    return this.reader.between(projectId, from, to);
  }

  outcomes(projectId: string, from: number, to: number): Promise<readonly Outcome[]> {
    return this.outcomeReader.between(projectId, from, to);
  }

  async last(projectId: string, until: number): Promise<Sample | null> {
    for await (const [latest] of this.reader.backwards(projectId, until)) return latest ?? null;
    return null;
  }
}
