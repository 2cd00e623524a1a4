import type pg from 'pg';
import { ADVISORY_LOCKS } from '../../persistence/advisory-locks.ts';
import { inTransaction } from '../../persistence/transaction.ts';
import { squeeze, unsqueeze } from '../codec/squeeze.ts';
import { DayPartitions } from './day-partitions.ts';
import { packsOf } from './flush.codec.ts';
import { hourOf, idBytes, idText, type PackKind, slots } from './pack-kind.ts';

const LOCK = { sample: ADVISORY_LOCKS.repackSamples, run: ADVISORY_LOCKS.repackRuns } as const;

/** Flushes that one transaction turns: after a long standstill there are many more than memory should hold. */
const MOST_AT_ONCE = 1_000;

interface HourItems<Item> {
  readonly projectId: string;
  readonly hour: number;
  readonly items: Item[];
}

/** Turns flushes into one row a project and hour. A slot at a time and in one transaction each, so that readers see either. */
export class Repacking<Item extends { readonly at: number }> {
  private readonly partitions: DayPartitions;

  constructor(
    private readonly pool: pg.Pool,
    private readonly kind: PackKind<Item>,
    private readonly most = MOST_AT_ONCE,
  ) {
    this.partitions = new DayPartitions(pool, kind.name);
  }

  /** What was flushed longer ago than that. Answers how many flushes it turned; whoever else is at it is left alone. */
  async repack(olderThanMs: number): Promise<number> {
    let turned = 0;
    for (const slot of slots) {
      for (let part = this.most; part === this.most; turned += part) part = await this.repackSlot(slot, olderThanMs);
    }
    return turned;
  }

  /** When the first of what is not repacked was measured; null: all is. */
  async oldest(): Promise<number | null> {
    const { rows } = await this.pool.query<{ at: string | null }>(`SELECT min(first_at) AS at FROM ${this.kind.name}_flush`);
    return rows[0]?.at == null ? null : Number(rows[0].at);
  }

  /** Puts items straight into their hours, past the leases: for imports and for benches. */
  async write(projectId: string, items: readonly Item[]): Promise<void> {
    const hours = byHour(items.map((item) => ({ projectId, item })));
    await this.partitions.ensure(hours.map(({ hour }) => hour));
    await inTransaction(this.pool, (client) => this.merge(client, hours));
  }

  private async repackSlot(slot: number, olderThanMs: number): Promise<number> {
    const { name } = this.kind;
    const due = `SELECT id, packed FROM ${name}_flush WHERE slot = $1 AND flushed_at < clock_timestamp() - $2 * interval '1 millisecond' ORDER BY id LIMIT $3`;
    const { rows: ahead } = await this.pool.query<{ first: string; last: string }>(
      `SELECT DISTINCT first_at / 3600000 AS first, last_at / 3600000 AS last FROM ${name}_flush WHERE slot = $1`,
      [slot],
    );
    if (ahead.length === 0) return 0;
    await this.partitions.ensure(ahead.flatMap(({ first, last }) => [Number(first), Number(last)]));
    return inTransaction(this.pool, async (client) => {
      const { rows: lock } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [LOCK[name] * 16 + slot]);
      if (lock[0]?.got !== true) return 0;
      const { rows } = await client.query<{ id: string; packed: Buffer }>(due, [slot, olderThanMs, this.most]);
      if (rows.length === 0) return 0;
      const observed = rows.flatMap(({ packed }) =>
        [...packsOf(packed)].flatMap(({ projectId, pack }) => this.kind.unpack(pack).map((item) => ({ projectId, item }))),
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
      const all = before === undefined ? items : [...this.kind.unpack(unsqueeze(before)), ...items];
      return squeeze(this.kind.pack(this.kind.inOrder(all)));
    });
    await client.query(
      `INSERT INTO ${name}_hour (project_id, hour, packed) SELECT * FROM unnest($1::bytea[], $2::int[], $3::bytea[])
       ON CONFLICT (project_id, hour) DO UPDATE SET packed = excluded.packed`,
      [...keys, packed],
    );
  }
}

const keyOf = (projectId: string, hour: number): string => `${projectId} ${String(hour)}`;

function byHour<Item extends { readonly at: number }>(
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
