import pg from 'pg';
import { ADVISORY_LOCKS } from '../../postgres/advisory-locks.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { isFed, publicSchemaOf, runnerLeaseOf } from './schema-names.ts';

const { escapeIdentifier } = pg;

export interface NewSchema {
  readonly schema: string;
  readonly name: string;
  readonly version: string;
  /** Runs once, in the transaction that creates the schema. */
  readonly createTables: (client: pg.PoolClient) => Promise<void>;
  /** Runs instead when the schema exists. */
  readonly verifyTables?: (client: pg.PoolClient) => Promise<void>;
}

/**
 * An advisory lock until the end of the transaction: schemas are created, published and swapped one at a time over all instances. Another instance may
 * hold it while it builds indexes, and dropping a large schema takes its time.
 */
const lockSchemas = (client: pg.PoolClient): Promise<unknown> =>
  client.query(`SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(${String(ADVISORY_LOCKS.projectionSchemas)})`);

/** Creates a schema with empty tables unless it exists. */
export async function ensureSchema(db: pg.Pool, { schema, name, version, createTables, verifyTables }: NewSchema): Promise<void> {
  await inTransaction(db, async (client) => {
    await lockSchemas(client);
    const { rowCount } = await client.query('INSERT INTO projection (schema, name, version) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      ...[schema, name, version],
    ]);
    if (rowCount === 0) return verifyTables?.(client);
    await client.query(`CREATE SCHEMA "${schema}"`);
    await createTables(client);
  });
}

/** Marks a schema as live and, if it has a public schema, shows its tables there, in one transaction with `finish`. */
export async function publishSchema(
  db: pg.Pool,
  schema: string,
  publicSchema: string | null,
  finish: (client: pg.PoolClient) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await inTransaction(db, async (client) => {
    await finish(client);
    await lockSchemas(client);
    await client.query(`UPDATE projection SET state = 'live', live_at = now(), error = NULL, total = NULL WHERE schema = $1`, [schema]);
    if (publicSchema !== null) await replacePublicViews(client, publicSchema, schema);
  });
}

/** The last step of a blue/green rebuild: the successor takes the place of the schema in use. Readers wait a moment and see one or the other. */
export async function swapSchemas(db: pg.Pool, schema: string, successor: string, publicSchema: string | null): Promise<void> {
  await inTransaction(db, async (client) => {
    await lockSchemas(client);
    const { rows: old } = await client.query<{ live: string | null; paused: boolean }>(
      'DELETE FROM projection WHERE schema = $1 RETURNING live_at::text AS live, paused',
      [schema],
    );
    await client.query(`ALTER SCHEMA "${schema}" RENAME TO "${schema}_old"`);
    await client.query(`ALTER SCHEMA "${successor}" RENAME TO "${schema}"`);
    // A rebuilt version is not newer than before, so it keeps its time of publication; a pause stays, too.
    await client.query(
      `UPDATE projection SET schema = $1, state = 'live', live_at = coalesce($3::timestamptz, now()), paused = $4, total = NULL WHERE schema = $2`,
      [schema, successor, old[0]?.live ?? null, old[0]?.paused === true],
    );
    if (publicSchema !== null && (await isNewestVersion(client, schema))) await replacePublicViews(client, publicSchema, schema);
    await client.query(`DROP SCHEMA "${schema}_old" CASCADE`);
  });
}

export async function dropSchema(db: pg.Pool, schema: string): Promise<void> {
  await inTransaction(db, async (client) => {
    await lockSchemas(client);
    await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await client.query('DELETE FROM projection WHERE schema = $1', [schema]);
  });
}

/**
 * Drops every version of a team's projection that no instance feeds, with what its SQL reads, in one transaction with `forget`. An instance that begins
 * meanwhile waits for the lock, and creates its tables anew. Answers the number of versions and rebuilds; null while one of them is fed.
 */
export async function dropProjection(db: pg.Pool, name: string, forget: (client: pg.PoolClient) => Promise<void>): Promise<number | null> {
  return inTransaction(db, async (client) => {
    await lockSchemas(client);
    const { rows } = await client.query<{ schema: string; fed: boolean }>(
      `SELECT schema, ${isFed('schema')} AS fed FROM projection WHERE name = $1`,
      [name],
    );
    if (rows.some(({ fed }) => fed)) return null;
    if (rows.length === 0) return 0;
    for (const schema of [publicSchemaOf({ name }), ...rows.map((row) => row.schema)])
      await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await client.query('DELETE FROM projection WHERE name = $1', [name]);
    await forget(client);
    return rows.length;
  });
}

/**
 * Drops older versions a day after the last instance that fed them, so that an upgrade can be rolled back until then. The lease counts as
 * well as the checkpoint: in a silent log no checkpoint moves.
 */
export async function dropRetiredVersions(db: pg.Pool, currentSchema: string): Promise<void> {
  const { rows } = await db.query<{ schema: string }>({
    name: 'projection_retired',
    text: `SELECT old.schema FROM projection AS own JOIN projection AS old ON old.name = own.name AND old.created_at < own.created_at
      WHERE own.schema = $1 AND own.live_at < now() - interval '24 hours' AND old.moved_at < now() - interval '24 hours'
        AND NOT EXISTS (SELECT FROM lease WHERE lease.name = $2 || old.schema AND lease.heartbeat > now() - interval '24 hours')`,
    values: [currentSchema, runnerLeaseOf('')],
  });
  for (const { schema } of rows) await dropSchema(db, schema);
}

/** Rebuilds and replays beside a version are not versions of their own. */
const NEWER_VERSION = `FROM projection AS own JOIN projection AS other ON other.name = own.name AND other.state = 'live' AND other.live_at > own.live_at
  AND other.schema !~ '_(next|replay)$'`;

/** An upgrade was rolled back: a version that was published later has had no runner for a minute. */
export async function isNewerVersionAbandoned(db: pg.Pool, schema: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'projection_abandoned',
    text: `SELECT ${NEWER_VERSION} LEFT JOIN lease ON lease.name = $2 || other.schema
      WHERE own.schema = $1 AND (lease.name IS NULL OR lease.heartbeat < clock_timestamp() - interval '1 minute')`,
    values: [schema, runnerLeaseOf('')],
  });
  return rowCount !== 0;
}

async function isNewestVersion(client: pg.PoolClient, schema: string): Promise<boolean> {
  const { rowCount } = await client.query(`SELECT ${NEWER_VERSION} WHERE own.schema = $1`, [schema]);
  return rowCount === 0;
}

/** A team's SQL reads through views in a schema whose name does not change with the version. A package chooses the names of its tables. */
async function replacePublicViews(client: pg.PoolClient, publicSchema: string, schema: string): Promise<void> {
  await client.query(`CREATE SCHEMA IF NOT EXISTS "${publicSchema}"`);
  const tables = await names(client, 'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1', schema);
  const views = await names(client, 'SELECT viewname AS name FROM pg_views WHERE schemaname = $1', publicSchema);
  for (const stale of views.filter((view) => !tables.includes(view))) await client.query(`DROP VIEW ${nameIn(publicSchema, stale)}`);
  for (const table of tables) {
    const select = `${nameIn(publicSchema, table)} AS SELECT * FROM ${nameIn(schema, table)}`;
    await client.query('SAVEPOINT replacing');
    try {
      await client.query(`CREATE OR REPLACE VIEW ${select}`);
    } catch {
      // The columns changed. DROP fails, and reports it, if a team's own view depends on the old ones.
      await client.query('ROLLBACK TO SAVEPOINT replacing');
      await client.query(`DROP VIEW ${nameIn(publicSchema, table)}`);
      await client.query(`CREATE VIEW ${select}`);
    }
  }
}

/** A name in SQL, whatever it is made of. */
export const nameIn = (schema: string, name: string): string => `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;

async function names(client: pg.PoolClient, text: string, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(text, [schema]);
  return rows.map(({ name }) => name);
}
