import type pg from 'pg';
import { type ObservationPool, type ObservationSchema, schemasOf } from '../schemas.ts';
import { ADVISORY_LOCKS } from '../../postgres/advisory-locks.ts';
import { inTransaction } from '../../postgres/transaction.ts';

const HOURS = 24;

const dayOf = (hour: number): number => Math.floor(hour / HOURS);
const nameOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);
const partitionOf = (kind: string, day: number): string => `${kind}_hour_${nameOf(day).replaceAll('-', '')}`;

export type Dropped = 'dropped' | 'absent' | 'books open';

/** One partition per UTC day in each schema, because dropping a partition is cheap whatever its size. */
export class DayPartitions {
  constructor(
    private readonly pool: ObservationPool,
    private readonly kind: 'sample' | 'run',
  ) {}

  /** Creates the missing partitions of these hours (since the epoch); attaches them, so that readers of other days are not blocked. */
  async ensure(hours: readonly number[], schemas = schemasOf(this.pool).all): Promise<void> {
    const days = [...new Set(hours.map(dayOf))];
    for (const schema of schemas) {
      const { rows } = await this.pool.query<{ day: number }>(
        'SELECT day FROM unnest($1::int[], $2::text[]) AS wanted (day, name) WHERE to_regclass(name) IS NULL',
        [days, days.map((day) => schema.table(partitionOf(this.kind, day)))],
      );
      for (const { day } of rows) await this.create(schema, day);
    }
  }

  /** The UTC days that have a partition in one of these schemas, in order. */
  async days(schemas = schemasOf(this.pool).all): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ day: string }>(
      `SELECT DISTINCT to_char(to_date(right(relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') AS day FROM pg_class
       JOIN pg_inherits ON inhrelid = oid WHERE inhparent = ANY ($1::text[]::regclass[]) ORDER BY day`,
      [schemas.map((schema) => schema.table(`${this.kind}_hour`))],
    );
    return rows.map(({ day }) => day);
  }

  /** Drops a day's partitions; refused while some project's day is not closed, because its samples are not summarised yet. Runs have no closing. */
  async drop(day: string): Promise<Dropped> {
    const outcomes = new Set<Dropped>();
    for (const schema of schemasOf(this.pool).all) outcomes.add(await this.dropIn(schema, day));
    if (outcomes.has('books open')) return 'books open';
    return outcomes.has('dropped') ? 'dropped' : 'absent';
  }

  private async dropIn(schema: ObservationSchema, day: string): Promise<Dropped> {
    const number = Date.parse(`${day}T00:00:00Z`) / 86_400_000;
    const table = schema.table(partitionOf(this.kind, number));
    return this.locked(async (client) => {
      const { rows: there } = await client.query<{ found: string | null }>('SELECT to_regclass($1) AS found', [table]);
      if (there[0]?.found == null) return 'absent';
      if (this.kind === 'sample') {
        const open = `
          SELECT 1 FROM ${table} AS measured WHERE NOT EXISTS (SELECT 1 FROM ${schema.table('closed_book')} AS book WHERE book.project_id = measured.project_id AND book.day = $1)
          UNION ALL
          SELECT 1 FROM ${schema.table('sample_flush')} WHERE last_at >= $2 AND first_at < $3
          LIMIT 1`;
        const { rowCount } = await client.query(open, [day, number * 86_400_000, (number + 1) * 86_400_000]);
        if (rowCount !== 0) return 'books open';
      }
      await client.query(`SET LOCAL lock_timeout = '5s'`);
      await client.query(`DROP TABLE ${table}`);
      return 'dropped';
    });
  }

  private create(schema: ObservationSchema, day: number): Promise<void> {
    const [whole, table] = [schema.table(`${this.kind}_hour`), schema.table(partitionOf(this.kind, day))];
    return this.locked(async (client) => {
      // From a table: after a wait for the lock, `to_regclass` alone may still answer from a cache that lacks what the other process has created.
      const { rowCount } = await client.query('SELECT FROM pg_class WHERE oid = to_regclass($1)', [table]);
      if (rowCount !== 0) return;
      await client.query(`CREATE TABLE ${table} (LIKE ${whole} INCLUDING ALL) WITH (toast_tuple_target = 8160)`);
      await client.query(
        `ALTER TABLE ${whole} ATTACH PARTITION ${table} FOR VALUES FROM (${String(day * HOURS)}) TO (${String((day + 1) * HOURS)})`,
      );
    });
  }

  private locked<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    return inTransaction(this.pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.dayPartitions]);
      return work(client);
    });
  }
}
