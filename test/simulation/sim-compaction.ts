import type pg from 'pg';
import { flushRows } from '../../src/platform/observations/packs/flush.codec.ts';
import { PackCompactor } from '../../src/platform/observations/packs/pack-compactor.ts';
import { PackReader } from '../../src/platform/observations/packs/pack-reader.ts';
import { sampleKind } from '../../src/platform/observations/samples/postgres-samples.ts';
import type { Sample } from '../../src/platform/observations/samples/sample.ts';
import { shardNumberOf } from '../../src/platform/observations/shards.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';
import { HOUR } from './time-limits.ts';

const EVERY_MS = HOUR;

export interface SimCompactionParts {
  readonly time: VirtualTime;
  readonly pool: pg.Pool;
  /** The database as a machine reaches it. */
  readonly poolOf: (machine: Machine) => pg.Pool;
  readonly machines: () => readonly Machine[];
  readonly broken: (what: string) => void;
}

/**
 * The samples of one project in the real database: flushed as they are accepted, and compacted by all machines at once, which lose their connections and die
 * as elsewhere. What is read has to be what was accepted.
 */
export class SimCompaction {
  private projectId: string | null = null;
  private readonly accepted = new Map<number, Sample>();
  private pending: Sample[] = [];
  private readonly reader: PackReader<Sample>;

  constructor(private readonly parts: SimCompactionParts) {
    this.reader = new PackReader(parts.pool, sampleKind);
    this.plan();
  }

  /** Of the project that was probed first. */
  put(projectId: string, sample: Sample): void {
    this.projectId ??= projectId;
    if (projectId === this.projectId) this.pending.push(sample);
  }

  private plan(): void {
    const { time, broken } = this.parts;
    time.after(EVERY_MS, () => {
      void time
        .hold(this.turn())
        .catch((error: unknown) => {
          broken(`compaction: ${String(error)}`);
        })
        .then(() => {
          this.plan();
        });
    });
  }

  private async turn(): Promise<void> {
    const { projectId, pending } = this;
    if (projectId === null) return;
    this.pending = [];
    const [before, during] = [pending.slice(0, pending.length / 2), pending.slice(pending.length / 2)];
    await this.flush(projectId, before);
    await Promise.all([this.compact(projectId), this.compact(projectId), ...during.map((sample) => this.flush(projectId, [sample]))]);
    await this.compare(projectId);
  }

  private async flush(projectId: string, samples: readonly Sample[]): Promise<void> {
    for (const sample of samples) {
      const [row] = flushRows(sampleKind, [{ projectId, item: sample }]);
      if (row === undefined) continue;
      await this.parts.pool.query('INSERT INTO sample_flush (slot, first_at, last_at, packed, ids) VALUES ($1, $2, $3, $4, $5)', [
        ...[row.slot, row.firstAt, row.lastAt, row.packed, row.ids],
      ]);
      this.accepted.set(sample.at, sample);
    }
  }

  private async compact(projectId: string): Promise<void> {
    const { machines, poolOf } = this.parts;
    for (const machine of machines())
      try {
        await new PackCompactor(poolOf(machine), sampleKind).compact(0, [shardNumberOf(projectId)]);
      } catch (error) {
        if (!/away|stopped/.test(String(error))) throw error;
      }
  }

  private async compare(projectId: string): Promise<void> {
    const [from, to] = [Math.min(...this.accepted.keys()), Math.max(...this.accepted.keys()) + 1];
    const found = await this.reader.between(projectId, from, to);
    if (found.length !== this.accepted.size || found.some(({ at, outcome }) => this.accepted.get(at)?.outcome !== outcome))
      this.parts.broken(`of ${String(this.accepted.size)} samples ${String(found.length)} are found after a compaction, or others`);
    // What is older has been compared often enough.
    const old = to - 4 * HOUR;
    for (const at of this.accepted.keys()) if (at < old) this.accepted.delete(at);
  }
}
