import { setImmediate as nextTick } from 'node:timers/promises';
import type pg from 'pg';
import { ADVISORY_LOCKS } from '../../postgres/advisory-locks.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { deflatePack, inflatePack } from '../codec/bytes.ts';
import { type RecordedItem, withRecording } from '../codec/recording.ts';
import { type ObservationPool, type ObservationSchema, schemasOf } from '../schemas.ts';
import { shardNumbers } from '../shards.ts';
import { DayPartitions } from './day-partitions.ts';
import { packsOf } from './flush.codec.ts';
import { formerSlots, hourOf, idBytes, idText, type PackKind, shardOfSlot, slotOf, slotOfShard } from './pack-kind.ts';

const LOCK = { sample: ADVISORY_LOCKS.repackSamples, run: ADVISORY_LOCKS.repackRuns } as const;

/** Flushes per transaction: after a long outage there are more than memory should hold. */
const MAX_FLUSHES = 5_000;
/** Projects whose hours are read and packed at once. */
const PROJECTS_AT_ONCE = 25;
/** Per statement. */
const HOURS_AT_ONCE = 500;

interface HourItems<Item> {
  readonly projectId: string;
  readonly hour: number;
  readonly items: Item[];
}

/** A packed hour, and the version of the row that it was made from; null where there was none. */
interface PackedHour {
  readonly id: Buffer;
  readonly hour: number;
  readonly packed: Buffer;
  /** Null for a kind without summaries. */
  readonly summary: Buffer | null;
  readonly version: string | null;
}

interface DueFlush {
  readonly id: string;
  readonly ids: Buffer;
  readonly packed: Buffer;
  /** When it was written, in milliseconds. */
  readonly at: number;
}

/** Another compaction was faster: nothing was written. */
class Overtaken extends Error {}

/** How many rows were still as they were read. */
function refuseOvertaken(unchanged: number | null | undefined, read: number): void {
  if (unchanged !== read) throw new Overtaken();
}

/**
 * Compaction: merges flushes into one row per project and hour, slot by slot, so that readers see either form. Reads and packs outside of any transaction
 * (optimistic concurrency): a short one then deletes the flushes and replaces the hours, unless one of them is no longer what was read.
 */
export class PackCompactor<Item extends RecordedItem> {
  private readonly partitions: DayPartitions;

  constructor(
    private readonly pool: ObservationPool,
    private readonly kind: PackKind<Item>,
    private readonly maxFlushes = MAX_FLUSHES,
  ) {
    this.partitions = new DayPartitions(pool, kind.name);
  }

  /** Compacts the flushes of these shards that are older than `olderThanMs`, as far as no other instance does it; returns how many it merged. */
  compact(olderThanMs: number, shards: readonly number[] = shardNumbers): Promise<number> {
    return this.compactSlots(shards.map(slotOfShard), olderThanMs);
  }

  /** Compacts what checkers of a version before the shards have written, which knows one schema only. */
  async compactFormer(olderThanMs: number): Promise<number> {
    return schemasOf(this.pool).areNamed ? 0 : this.compactSlots(formerSlots, olderThanMs);
  }

  /** The time of the oldest observation of a shard that is not compacted, null when all are. */
  async oldest(shard: number): Promise<number | null> {
    const { rows } = await this.pool.query<{ at: string | null }>(
      `SELECT min(first_at) AS at FROM ${schemasOf(this.pool).ofShard(shard).table(`${this.kind.name}_flush`)} WHERE slot = ANY ($1::smallint[])`,
      [[slotOfShard(shard), ...formerSlots]],
    );
    return rows[0]?.at == null ? null : Number(rows[0].at);
  }

  /** The shards with flushes of at least this age, which their owners left. */
  async lateShards(ageMs: number): Promise<readonly number[]> {
    const late = new Set<number>();
    for (const schema of schemasOf(this.pool).all) {
      const { rows } = await this.pool.query<{ slot: number }>(
        `SELECT DISTINCT slot FROM ${schema.table(`${this.kind.name}_flush`)} WHERE slot = ANY ($1::smallint[]) AND flushed_at < clock_timestamp() - $2 * interval '1 millisecond'`,
        [shardNumbers.map(slotOfShard), ageMs],
      );
      for (const { slot } of rows) late.add(slot);
    }
    return shardNumbers.filter((shard) => late.has(slotOfShard(shard)));
  }

  /** Writes items straight into their hour rows, without a lease: for imports and benchmarks. */
  async write(projectId: string, items: readonly Item[]): Promise<void> {
    const schema = schemasOf(this.pool).ofProject(projectId);
    const hours = byHour(projectId, items);
    await this.partitions.ensure(
      hours.map(({ hour }) => hour),
      [schema],
    );
    for (;;) {
      const packed = await this.pack(schema, hours);
      if (await this.replace(schema, slotOf(projectId), [], packed)) return;
    }
  }

  private async compactSlots(slots: readonly number[], olderThanMs: number): Promise<number> {
    let compacted = 0;
    for (const slot of slots) {
      for (let part = this.maxFlushes; part === this.maxFlushes; compacted += part) part = await this.compactSlot(slot, olderThanMs);
    }
    return compacted;
  }

  private async compactSlot(slot: number, olderThanMs: number): Promise<number> {
    const schema = this.schemaOf(slot);
    const flushes = await this.due(schema, slot, olderThanMs);
    if (flushes.length === 0) return 0;
    const projects = new Map<string, { readonly pack: Uint8Array; readonly at: number }[]>();
    for (const flush of flushes)
      for (const { projectId, pack } of packsOf(flush)) {
        const known = projects.get(projectId);
        if (known === undefined) projects.set(projectId, [{ pack, at: flush.at }]);
        else known.push({ pack, at: flush.at });
      }
    const ids = [...projects.keys()].sort();
    const packed: PackedHour[] = [];
    for (let from = 0; from < ids.length; from += PROJECTS_AT_ONCE) {
      const hours = ids.slice(from, from + PROJECTS_AT_ONCE).flatMap((projectId) =>
        byHour(
          projectId,
          (projects.get(projectId) ?? []).flatMap(({ pack, at }) => this.kind.unpack(pack).map((item) => withRecording(item, at))),
        ),
      );
      await this.partitions.ensure(
        hours.map(({ hour }) => hour),
        [schema],
      );
      packed.push(...(await this.pack(schema, hours)));
      await nextTick();
    }
    return (await this.replace(schema, slot, flushes, packed)) ? flushes.length : 0;
  }

  private schemaOf(slot: number): ObservationSchema {
    const schemas = schemasOf(this.pool);
    return formerSlots.includes(slot) ? schemas.ofShard(0) : schemas.ofShard(shardOfSlot(slot));
  }

  private async due(schema: ObservationSchema, slot: number, olderThanMs: number): Promise<readonly DueFlush[]> {
    const { name } = this.kind;
    const text = `SELECT id, ids, packed, extract(epoch FROM flushed_at)::float8 * 1000 AS at FROM ${schema.table(`${name}_flush`)} WHERE slot = $1 AND flushed_at < clock_timestamp() - $2 * interval '1 millisecond' ORDER BY id LIMIT $3`;
    const { rows } = await this.pool.query<DueFlush>({
      name: schema.statement(`${name}_due`),
      text,
      values: [slot, olderThanMs, this.maxFlushes],
    });
    return rows;
  }

  /** Together with what is stored of the same hours. */
  private async pack(schema: ObservationSchema, hours: readonly HourItems<Item>[]): Promise<readonly PackedHour[]> {
    const { name } = this.kind;
    const { rows } = await this.pool.query<{ project_id: Buffer; hour: number; packed: Buffer; version: string }>({
      name: schema.statement(`${name}_hours`),
      text: `SELECT project_id, hour, packed, h.xmin::text AS version FROM ${schema.table(`${name}_hour`)} AS h JOIN unnest($1::bytea[], $2::int[]) AS wanted (project_id, hour) USING (project_id, hour)`,
      values: [hours.map(({ projectId }) => idBytes(projectId)), hours.map(({ hour }) => hour)],
    });
    const stored = new Map(rows.map((row) => [keyOf(idText(row.project_id), row.hour), row]));
    return hours.map(({ projectId, hour, items }) => {
      const before = stored.get(keyOf(projectId, hour));
      const all = before === undefined ? items : [...this.kind.unpack(inflatePack(before.packed)), ...items];
      const ordered = this.kind.inOrder(all);
      const packed = deflatePack(this.kind.pack(ordered));
      const summary = this.kind.summarize?.(hour, ordered, packed) ?? null;
      return { id: idBytes(projectId), hour, packed, summary, version: before?.version ?? null };
    });
  }

  /** False if a flush or an hour is no longer as it was read. */
  private async replace(
    schema: ObservationSchema,
    slot: number,
    flushes: readonly DueFlush[],
    hours: readonly PackedHour[],
  ): Promise<boolean> {
    const { name } = this.kind;
    try {
      await inTransaction(this.pool, async (client) => {
        // A compaction of the former version compares nothing, and holds its lock from its first read on.
        await client.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK[name], slot]);
        await client.query('SELECT pg_advisory_xact_lock_shared($1::bigint + former) FROM unnest($2::int[]) AS former', [
          LOCK[name] * 16,
          formerSlots,
        ]);
        const deleted = await client.query(`DELETE FROM ${schema.table(`${name}_flush`)} WHERE id = ANY ($1::bigint[])`, [
          flushes.map(({ id }) => id),
        ]);
        refuseOvertaken(deleted.rowCount, flushes.length);
        for (let from = 0; from < hours.length; from += HOURS_AT_ONCE)
          await this.writeHours(client, schema, hours.slice(from, from + HOURS_AT_ONCE));
      });
      return true;
    } catch (error) {
      if (error instanceof Overtaken) return false;
      throw error;
    }
  }

  private async writeHours(client: pg.PoolClient, schema: ObservationSchema, hours: readonly PackedHour[]): Promise<void> {
    const { name } = this.kind;
    const [set, column] = this.kind.summarize === undefined ? ['', ''] : [', summary = given.summary', ', summary'];
    const { rows } = await client.query<{ written: number }>({
      name: schema.statement(`${name}_hours_replace`),
      text: `WITH given AS (SELECT * FROM unnest($1::bytea[], $2::int[], $3::bytea[], $4::text[], $5::bytea[]) AS given (project_id, hour, packed, version, summary)),
        replaced AS (
          UPDATE ${schema.table(`${name}_hour`)} AS h SET packed = given.packed${set} FROM given
          WHERE h.project_id = given.project_id AND h.hour = given.hour AND h.xmin::text = given.version RETURNING 1
        ), added AS (
          INSERT INTO ${schema.table(`${name}_hour`)} (project_id, hour, packed${column}) SELECT project_id, hour, packed${column} FROM given WHERE version IS NULL ON CONFLICT DO NOTHING RETURNING 1
        ) SELECT ((SELECT count(*) FROM replaced) + (SELECT count(*) FROM added))::int AS written`,
      values: [
        hours.map(({ id }) => id),
        hours.map(({ hour }) => hour),
        hours.map(({ packed }) => packed),
        hours.map(({ version }) => version),
        hours.map(({ summary }) => summary),
      ],
    });
    refuseOvertaken(rows[0]?.written, hours.length);
  }
}

const keyOf = (projectId: string, hour: number): string => `${projectId} ${String(hour)}`;

/** In the order of time. */
function byHour<Item extends RecordedItem>(projectId: string, items: readonly Item[]): readonly HourItems<Item>[] {
  const hours = new Map<number, Item[]>();
  for (const item of items) {
    const known = hours.get(hourOf(item.at));
    if (known === undefined) hours.set(hourOf(item.at), [item]);
    else known.push(item);
  }
  return [...hours].sort(([one], [other]) => one - other).map(([hour, ofHour]) => ({ projectId, hour, items: ofHour }));
}
