import type pg from 'pg';
import { ADVISORY_LOCKS } from '../../persistence/advisory-locks.ts';
import { inTransaction } from '../../persistence/transaction.ts';
import { deflatePack, inflatePack } from '../codec/bytes.ts';
import { type RecordedItem, withRecording } from '../codec/recording.ts';
import { DayPartitions } from './day-partitions.ts';
import { packsOf } from './flush.codec.ts';
import { hourOf, idBytes, idText, type PackKind, slots } from './pack-kind.ts';

const LOCK = { sample: ADVISORY_LOCKS.repackSamples, run: ADVISORY_LOCKS.repackRuns } as const;

/** Flushes per transaction: after a long outage there are more than memory should hold. */
const MAX_FLUSHES = 1_000;

interface HourItems<Item> {
  readonly projectId: string;
  readonly hour: number;
  readonly items: Item[];
}

/** Compaction: merges flushes into one row per project and hour, slot by slot and each in one transaction, so that readers see either form. */
export class PackCompactor<Item extends RecordedItem> {
  private readonly partitions: DayPartitions;

  constructor(
    private readonly pool: pg.Pool,
    private readonly kind: PackKind<Item>,
    private readonly maxFlushes = MAX_FLUSHES,
  ) {
    this.partitions = new DayPartitions(pool, kind.name);
  }

  /** Compacts flushes older than `olderThanMs`, skipping slots that another instance works on; returns how many flushes were merged. */
  async compact(olderThanMs: number): Promise<number> {
    let compacted = 0;
    for (const slot of slots) {
      for (let part = this.maxFlushes; part === this.maxFlushes; compacted += part) part = await this.compactSlot(slot, olderThanMs);
    }
    return compacted;
  }

  /** The time of the oldest observation that is not compacted, null when all are. */
  async oldest(): Promise<number | null> {
    const { rows } = await this.pool.query<{ at: string | null }>(`SELECT min(first_at) AS at FROM ${this.kind.name}_flush`);
    return rows[0]?.at == null ? null : Number(rows[0].at);
  }

  /** Writes items straight into their hour rows, without a lease: for imports and benchmarks. */
  async write(projectId: string, items: readonly Item[]): Promise<void> {
    const hours = byHour(items.map((item) => ({ projectId, item })));
    await this.partitions.ensure(hours.map(({ hour }) => hour));
    await inTransaction(this.pool, (client) => this.merge(client, hours));
  }

  private async compactSlot(slot: number, olderThanMs: number): Promise<number> {
    const { name } = this.kind;
    const due = `SELECT id, ids, packed, extract(epoch FROM flushed_at)::float8 * 1000 AS at FROM ${name}_flush WHERE slot = $1 AND flushed_at < clock_timestamp() - $2 * interval '1 millisecond' ORDER BY id LIMIT $3`;
    const { rows: hours } = await this.pool.query<{ first: string; last: string }>(
      `SELECT DISTINCT first_at / 3600000 AS first, last_at / 3600000 AS last FROM ${name}_flush WHERE slot = $1`,
      [slot],
    );
    if (hours.length === 0) return 0;
    await this.partitions.ensure(hours.flatMap(({ first, last }) => [Number(first), Number(last)]));
    return inTransaction(this.pool, async (client) => {
      const { rows: lock } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [LOCK[name] * 16 + slot]);
      if (lock[0]?.got !== true) return 0;
      const { rows } = await client.query<{ id: string; ids: Buffer; packed: Buffer; at: number }>(due, [
        slot,
        olderThanMs,
        this.maxFlushes,
      ]);
      if (rows.length === 0) return 0;
      const observed = rows.flatMap((row) =>
        [...packsOf(row)].flatMap(({ projectId, pack }) =>
          this.kind.unpack(pack).map((item) => ({ projectId, item: withRecording(item, row.at) })),
        ),
      );
      await this.merge(client, byHour(observed));
      await client.query(`DELETE FROM ${name}_flush WHERE id = ANY ($1::bigint[])`, [rows.map(({ id }) => id)]);
      return rows.length;
    });
  }

  private async merge(client: pg.PoolClient, hours: readonly HourItems<Item>[]): Promise<void> {
    const { name } = this.kind;
    const keys = [hours.map(({ projectId }) => idBytes(projectId)), hours.map(({ hour }) => hour)];
    const { rows } = await client.query<{ project_id: Buffer; hour: number; packed: Buffer }>(
      `SELECT project_id, hour, packed FROM ${name}_hour JOIN unnest($1::bytea[], $2::int[]) AS wanted (project_id, hour) USING (project_id, hour)`,
      keys,
    );
    const known = new Map(rows.map((row) => [keyOf(idText(row.project_id), row.hour), row.packed]));
    const packed = hours.map(({ projectId, hour, items }) => {
      const before = known.get(keyOf(projectId, hour));
      const all = before === undefined ? items : [...this.kind.unpack(inflatePack(before)), ...items];
      return deflatePack(this.kind.pack(this.kind.inOrder(all)));
    });
    await client.query(
      `INSERT INTO ${name}_hour (project_id, hour, packed) SELECT * FROM unnest($1::bytea[], $2::int[], $3::bytea[])
       ON CONFLICT (project_id, hour) DO UPDATE SET packed = excluded.packed`,
      [...keys, packed],
    );
  }
}

const keyOf = (projectId: string, hour: number): string => `${projectId} ${String(hour)}`;

function byHour<Item extends RecordedItem>(
  observed: readonly { readonly projectId: string; readonly item: Item }[],
): readonly HourItems<Item>[] {
  const hours = new Map<string, HourItems<Item>>();
  for (const { projectId, item } of observed) {
    const hour = hourOf(item.at);
    const key = keyOf(projectId, hour);
    const known = hours.get(key);
    if (known === undefined) hours.set(key, { projectId, hour, items: [item] });
    else known.items.push(item);
  }
  return [...hours.values()].sort((one, other) => one.projectId.localeCompare(other.projectId) || one.hour - other.hour);
}
