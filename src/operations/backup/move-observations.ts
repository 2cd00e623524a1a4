import pg from 'pg';
import { StartRefused } from '../../kernel/start-refused.ts';
import { type ObservationPool, type ObservationSchema, ObservationSchemas } from '../../platform/observations/schemas.ts';
import { migrateObservations } from '../../platform/postgres/migrations/observation-migrations.ts';
import { claimObservations, refuseDatabaseOfLog, tryMoveLock } from '../../platform/observations/observation-claim.ts';
import { DayPartitions } from '../../platform/observations/packs/day-partitions.ts';
import { PackCompactor } from '../../platform/observations/packs/pack-compactor.ts';
import { runKind } from '../../platform/observations/runs/run.codec.ts';
import { sampleKind } from '../../platform/observations/samples/postgres-samples.ts';
import { connectionSettings } from '../../platform/postgres/connection-settings.ts';
import { copyIn, copyOut } from '../../platform/postgres/copy.ts';
import { clientClass, DatabaseClient } from '../../platform/postgres/database-client.ts';
import { storedColumns } from './snapshot.ts';
import { spreadRows } from './spread-rows.ts';
import { HOUR_MS } from '../../kernel/time.ts';

/** A database of the move. */
export interface MoveEnd {
  readonly url: string;
  /** The log is in one of the two. */
  readonly hasLog: boolean;
  /** One without a name where it is missing. */
  readonly schemas?: ObservationSchemas;
}

export interface MoveOrder {
  readonly from: MoveEnd;
  readonly to: MoveEnd;
  /** The place of the observations afterwards, as a mark in the database of the log says; empty when they are with the log. */
  readonly movedTo: string;
  /** The name of the installation, which its database of observations states. */
  readonly installation: string;
  readonly signal: AbortSignal;
  readonly progress: (what: string, rows: number) => void;
  /** Resolves when no process of the installation stores observations any more; called once everything but the latest is copied. */
  readonly whenPaused: () => Promise<void>;
}

export interface Moved {
  /** By table; what may have changed since is copied again. */
  readonly rows: Readonly<Record<string, number>>;
  /** From the request to pause until all is copied. */
  readonly pausedMs: number;
}

interface Table {
  readonly name: string;
  readonly key: readonly string[];
  /** Selects rows that may have changed since a pass: `$1` is its instant in milliseconds, less an hour for late writes, `$2` its transaction id. */
  readonly since: string;
}

/** When a pass began, by the clock of the source, and the oldest transaction that was under way there. */
interface PassStart {
  readonly at: number;
  readonly xid: number;
}

/** Older flushes are compacted before they are copied. Less than the two hours by which a pass goes back. */
const LATE_MS = HOUR_MS;
const PIECE_BYTES = 256 * 1024;

/** In an order in which the rows of one are spread by those before it (`spreadRows`). The hour partitions are copied day by day. */
const TABLES: readonly Table[] = [
  // A day may be closed at any time, as after an outage. No index could find those of a few days either.
  { name: 'closed_book', key: ['project_id', 'day'], since: `age(xmin) <= age('$2'::xid)` },
  { name: 'latest_run', key: ['check_id'], since: 'at >= $1' },
  { name: 'kept_answer', key: ['check_id', 'at'], since: 'at >= $1' },
  { name: 'kept_exchange', key: ['project_id', 'sha256'], since: 'at >= $1' },
  { name: 'form_html', key: ['area_id', 'sha256'], since: 'at >= $1' },
  { name: 'kept_page', key: ['sha256'], since: 'kept_at >= to_timestamp($1 / 1000.0)' },
  { name: 'job_run', key: ['job_id', 'check_id'], since: 'at >= $1' },
  { name: 'latest_look', key: ['project_id', 'kind'], since: 'at >= $1' },
];
const HOURS = (['sample', 'run'] as const).map((kind) => ({
  kind,
  table: { name: `${kind}_hour`, key: ['project_id', 'hour'], since: 'hour >= $1 / 3600000' },
}));
/** They come last, and whole: a compaction leaves no row of a flush, and an object that became a page's must not be deleted as an orphan. */
const WHOLE = [
  { name: 'sample_flush', key: [], without: ['id'] },
  { name: 'run_flush', key: [], without: ['id'] },
  { name: 'page_body_orphan', key: ['name'], without: [] },
] as const;

/**
 * Copies the observations to another database while the service goes on: first all rows, then those that changed meanwhile, then, with the checkers paused,
 * the rest. Every step can be repeated: rows are replaced by their key, and a finished day is not copied again.
 */
export async function moveObservations(order: MoveOrder): Promise<Moved> {
  const { to, movedTo, installation, whenPaused } = order;
  const move = await Move.open(order);
  try {
    await refuseDatabaseOfLog(move.apart);
    if (!to.hasLog) await migrateObservations(to.url, schemasIn(to));
    await claimObservations(move.apart, installation);
    let since: PassStart | null = null;
    // The second pass copies what changed in the first, which may have taken hours; the third, in the pause, what changed in the second.
    for (let pass = 0; pass < 2; pass++) {
      await move.compactLate();
      since = await move.pass(since);
    }
    const began = performance.now();
    await move.pause();
    try {
      await whenPaused();
      await move.rest(since);
      await move.arrive(movedTo);
    } catch (error) {
      await move.resume();
      throw error;
    }
    return { rows: move.rows, pausedMs: Math.round(performance.now() - began) };
  } finally {
    await move.close();
  }
}

class Move {
  readonly rows: Record<string, number> = {};

  private constructor(
    private readonly order: MoveOrder,
    private readonly from: pg.Client,
    private readonly to: pg.Client,
    private readonly fromPool: ObservationPool,
    private readonly toPool: ObservationPool,
  ) {}

  static async open(order: MoveOrder): Promise<Move> {
    const [from, to] = [await connect(order.from.url), await connect(order.to.url)];
    const move = new Move(order, from, to, poolOf(order.from), poolOf(order.to));
    if (await tryMoveLock(move.log)) return move;
    await move.close();
    throw new StartRefused('another move of the observations is under way');
  }

  async close(): Promise<void> {
    await Promise.all(
      [this.from.end(), this.to.end(), this.fromPool.end(), this.toPool.end()].map((ending) => ending.catch(() => undefined)),
    );
  }

  /** The mark in the database of the log: while it is not done, every checker pauses. */
  async pause(): Promise<void> {
    await this.log.query(
      `INSERT INTO observations_moved (moved_to, done) VALUES ('', false) ON CONFLICT (singleton) DO UPDATE SET done = false, at = clock_timestamp()`,
    );
  }

  /** A process whose settings place them elsewhere stores nothing from now on, and does not start. */
  async arrive(movedTo: string): Promise<void> {
    await this.log.query('UPDATE observations_moved SET moved_to = $1, done = true, at = clock_timestamp()', [movedTo]);
    await this.to.query('TRUNCATE observation_copy');
  }

  /** They stay where they were. */
  async resume(): Promise<void> {
    await this.log.query('UPDATE observations_moved SET done = true, at = clock_timestamp()');
  }

  /** Otherwise a compaction of what a dead checker left, however late it came, would change hours that are copied and days that count as complete. */
  async compactLate(): Promise<void> {
    for (const compactor of [new PackCompactor(this.fromPool, sampleKind), new PackCompactor(this.fromPool, runKind)]) {
      await compactor.compactFormer(LATE_MS);
      // Another compaction may be faster, and not be through.
      for (let shards = await compactor.lateShards(LATE_MS); shards.length > 0; shards = await compactor.lateShards(LATE_MS)) {
        this.order.signal.throwIfAborted();
        await compactor.compact(LATE_MS, shards);
      }
    }
  }

  /** Copies what may have changed since the beginning of another pass, or everything. */
  async pass(since: PassStart | null): Promise<PassStart> {
    const { rows } = await this.from.query<{ at: number; xid: string }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at, pg_snapshot_xmin(pg_current_snapshot())::xid::text AS xid',
    );
    const { at = NaN, xid = '' } = rows[0] ?? {};
    for (const { kind, table } of HOURS) await this.hours(kind, table, since?.at ?? -Infinity, at);
    for (const table of TABLES)
      await this.copy(table, since === null ? 'true' : table.since, since === null ? [] : [since.at - HOUR_MS, since.xid]);
    return { at, xid: Number(xid) };
  }

  /** In one snapshot: a compaction that is still under way moves rows from the flushes to the hours. */
  async rest(since: PassStart | null): Promise<void> {
    // Waits for what is still being stored, and shuts out what a paused checker would store late.
    for (const schema of schemasIn(this.order.from).all)
      await this.from.query(`UPDATE ${schema.table('observation_fence')} SET epoch = epoch + 1`);
    await this.from.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await this.pass(since);
    await this.whole();
    await this.from.query('COMMIT');
  }

  /** The ids of flushes are given anew, in the same order. */
  private async whole(): Promise<void> {
    for (const { name, key, without } of WHOLE) {
      for (const schema of schemasIn(this.order.to).all) await this.to.query(`TRUNCATE ${schema.table(name)}`);
      await this.copy({ name, key }, 'true', [], without);
    }
  }

  /** The database of the observations alone. */
  get apart(): pg.Client {
    return this.order.from.hasLog ? this.to : this.from;
  }

  private get log(): pg.Client {
    return this.order.from.hasLog ? this.from : this.to;
  }

  private async hours(kind: 'sample' | 'run', table: Table, since: number, now: number): Promise<void> {
    const days = await new DayPartitions(this.fromPool, kind).days();
    const today = new Date(now - 2 * HOUR_MS).toISOString().slice(0, 10);
    for (const day of days) {
      const first = Date.parse(`${day}T00:00:00Z`) / HOUR_MS;
      if (since > -Infinity && (first + 24) * HOUR_MS < since - 2 * HOUR_MS) continue;
      const { rowCount } = await this.to.query('SELECT FROM observation_copy WHERE day = $1', [`${kind} ${day}`]);
      if (rowCount !== 0) continue;
      await new DayPartitions(this.toPool, kind).ensure([first]);
      const from = since === -Infinity ? first : Math.max(first, Math.floor((since - 2 * HOUR_MS) / HOUR_MS));
      await this.copy(table, 'hour >= $1 AND hour < $2', [from, first + 24]);
      // Nothing is compacted into it any more.
      if (day < today) await this.to.query('INSERT INTO observation_copy VALUES ($1)', [`${kind} ${day}`]);
    }
  }

  private async copy(
    table: Pick<Table, 'name' | 'key'>,
    where: string,
    values: readonly number[],
    without: readonly string[] = [],
  ): Promise<void> {
    for (const schema of schemasIn(this.order.from).all) await this.copyFrom(schema, table, where, values, without);
  }

  /** Through a temporary table, because COPY replaces no rows. */
  private async copyFrom(
    schema: ObservationSchema,
    { name, key }: Pick<Table, 'name' | 'key'>,
    where: string,
    values: readonly number[],
    without: readonly string[],
  ): Promise<void> {
    const { signal, progress } = this.order;
    const source = schema.table(name);
    const columns = (await storedColumns(this.from, source)).filter((column) => !without.includes(column));
    const list = columns.join(', ');
    const condition = values.reduce<string>(
      (text, value, index) => text.replaceAll(`$${String(index + 1)}`, String(Math.floor(value))),
      where,
    );
    const copied = { rows: 0 };
    const read = this.from;
    async function* pieces(): AsyncGenerator<Buffer> {
      const order = key.length > 0 ? key.join(', ') : 'id';
      for await (const { piece, rows } of copyOut(
        read,
        `SELECT ${list} FROM ${source} WHERE ${condition} ORDER BY ${order}`,
        PIECE_BYTES,
      )) {
        signal.throwIfAborted();
        copied.rows = rows;
        progress(name, rows);
        yield piece;
      }
    }
    await this.to.query('BEGIN');
    try {
      await this.to.query(
        `CREATE TEMPORARY TABLE moving ON COMMIT DROP AS SELECT ${list} FROM ${schemasIn(this.order.to).ofShard(0).table(name)} LIMIT 0`,
      );
      await copyIn(this.to, 'moving', columns, pieces());
      const update = columns.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`);
      const replace =
        key.length === 0 ? '' : `ON CONFLICT (${key.join(', ')}) DO ${update.length === 0 ? 'NOTHING' : `UPDATE SET ${update.join(', ')}`}`;
      await spreadRows(this.to, schemasIn(this.order.to), { table: name, from: 'moving', columns, conflict: replace });
      await this.to.query('COMMIT');
    } catch (error) {
      await this.to.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
    this.rows[name] = (this.rows[name] ?? 0) + copied.rows;
  }
}

const schemasIn = ({ schemas = new ObservationSchemas(1) }: MoveEnd): ObservationSchemas => schemas;

const poolOf = (end: MoveEnd): ObservationPool =>
  Object.assign(new pg.Pool({ ...connectionSettings(end.url, { name: 'move' }), ...clientClass(DatabaseClient), max: 1 }), {
    schemas: schemasIn(end),
  });

async function connect(url: string): Promise<pg.Client> {
  const client = new DatabaseClient(connectionSettings(url, { name: 'move', statementTimeoutMs: 0, idleInTransactionMs: 0 }));
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
