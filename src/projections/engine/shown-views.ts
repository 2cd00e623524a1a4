import { runnerLeaseOf } from './schema-names.ts';
import type pg from 'pg';

/** The views of a schema of their own through which a team's SQL reads, whatever version stands behind them. */
export async function replaceViews(client: pg.PoolClient, shown: string, schema: string): Promise<void> {
  await client.query(`CREATE SCHEMA IF NOT EXISTS "${shown}"`);
  const tables = await names(client, 'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1', schema);
  const views = await names(client, 'SELECT viewname AS name FROM pg_views WHERE schemaname = $1', shown);
  for (const gone of views.filter((view) => !tables.includes(view))) await client.query(`DROP VIEW "${shown}"."${gone}"`);
  for (const table of tables) {
    const select = `"${shown}"."${table}" AS SELECT * FROM "${schema}"."${table}"`;
    await client.query('SAVEPOINT replacing');
    try {
      await client.query(`CREATE OR REPLACE VIEW ${select}`);
    } catch {
      // Other columns than before. What a team built upon the old ones would break: then this fails, and says so.
      await client.query('ROLLBACK TO SAVEPOINT replacing');
      await client.query(`DROP VIEW "${shown}"."${table}"`);
      await client.query(`CREATE VIEW ${select}`);
    }
  }
}

async function names(client: pg.PoolClient, text: string, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(text, [schema]);
  return rows.map(({ name }) => name);
}

/** Of another version than one's own; what is filled beside a version to take its place, or to be compared with it, is none. */
const NEWER = `FROM projection AS own JOIN projection AS other ON other.name = own.name AND other.state = 'live' AND other.live_at > own.live_at
  AND other.schema !~ '_(next|replay)$'`;

/** Another version was published later, but nobody has run it for a minute: the way back of an upgrade. */
export async function isAbandoned(db: pg.Pool, schema: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'projection_abandoned',
    text: `SELECT ${NEWER} LEFT JOIN lease ON lease.name = $2 || other.schema
      WHERE own.schema = $1 AND (lease.name IS NULL OR lease.heartbeat < clock_timestamp() - interval '1 minute')`,
    values: [schema, runnerLeaseOf('')],
  });
  return rowCount !== 0;
}

/** Readers are shown the version that was published last. */
export async function isShown(client: pg.PoolClient, schema: string): Promise<boolean> {
  const { rowCount } = await client.query(`SELECT ${NEWER} WHERE own.schema = $1`, [schema]);
  return rowCount === 0;
}
