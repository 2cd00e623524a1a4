import type pg from 'pg';
import { type Projection, publicSchemaOf } from './define-projection.ts';
import { runnerOf } from './leased-loop.ts';
import { inTransaction } from './unit-schema.ts';

const SCHEMA_LOCK = 727_031;

export async function ensureSetSchema(db: pg.Pool, projection: Projection, schema: string): Promise<void> {
  await inTransaction(db, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    const { rowCount } = await client.query('INSERT INTO projection (schema, name, version) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      schema,
      projection.name,
      String(projection.version),
    ]);
    if (rowCount === 0) return;
    await client.query(`CREATE SCHEMA "${schema}"; SET LOCAL search_path = "${schema}"`);
    for (const statement of projection.tables) await client.query(statement);
  });
}

/** Filled: from now on the team's SQL reads this version. In one transaction, so that nobody sees neither or half of it. */
export async function publish(db: pg.Pool, projection: Projection, schema: string): Promise<void> {
  await inTransaction(db, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    await client.query(`UPDATE projection SET state = 'live', live_at = now(), error = NULL, total = NULL WHERE schema = $1`, [schema]);
    await replaceViews(client, publicSchemaOf(projection), schema);
  });
}

/** Puts what was filled beside the tables in use in their place. */
export async function replaceSetSchema(db: pg.Pool, projection: Projection, schema: string, successor: string): Promise<void> {
  await inTransaction(db, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    await client.query('DELETE FROM projection WHERE schema = $1', [schema]);
    await client.query(`ALTER SCHEMA "${schema}" RENAME TO "${schema}_old"`);
    await client.query(`ALTER SCHEMA "${successor}" RENAME TO "${schema}"`);
    await client.query(`UPDATE projection SET schema = $1, state = 'live', live_at = now(), total = NULL WHERE schema = $2`, [
      schema,
      successor,
    ]);
    await replaceViews(client, publicSchemaOf(projection), schema);
    await client.query(`DROP SCHEMA "${schema}_old" CASCADE`);
  });
}

/** Another version was published later, but nobody has run it for a minute: the way back of an upgrade. */
export async function isAbandoned(db: pg.Pool, schema: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'projection_abandoned',
    text: `SELECT FROM projection AS own JOIN projection AS other ON other.name = own.name AND other.state = 'live' AND other.live_at > own.live_at
      LEFT JOIN lease ON lease.name = $2 || other.schema
      WHERE own.schema = $1 AND (lease.name IS NULL OR lease.heartbeat < clock_timestamp() - interval '1 minute')`,
    values: [schema, runnerOf('')],
  });
  return rowCount !== 0;
}

async function replaceViews(client: pg.PoolClient, shown: string, schema: string): Promise<void> {
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
