import type pg from 'pg';
import { ADVISORY_LOCKS } from '../../persistence/advisory-locks.ts';
import { inTransaction } from '../../persistence/transaction.ts';
import type { ViewUnit } from './unit.ts';
import { isShown, replaceViews } from '../engine/shown-views.ts';
import { createIndexes, createTable } from './view-tables.ts';
import { runnerLeaseOf } from '../engine/schema-names.ts';

/** Makers of schemas wait for each other until their transaction ends, wherever they run. */
export const alone = (client: pg.PoolClient): Promise<unknown> =>
  client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.projectionSchemas]);

/** The schema with its empty tables, made once; indexes come after the first fill. */
export async function ensureSchema(db: pg.Pool, unit: ViewUnit, schema = unit.schema): Promise<void> {
  await inTransaction(db, async (client) => {
    await alone(client);
    const { rowCount } = await client.query('INSERT INTO projection (schema, name, version) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      schema,
      unit.name,
      unit.signature,
    ]);
    if (rowCount === 0) return;
    await client.query(`CREATE SCHEMA "${schema}"`);
    for (const view of unit.views) await client.query(createTable(schema, view));
  });
}

/** Indexes, statistics, and the word that it can be read. */
export async function finishSchema(db: pg.Pool, unit: ViewUnit, schema = unit.schema): Promise<void> {
  await inTransaction(db, async (client) => {
    await client.query('SET LOCAL statement_timeout = 0');
    for (const view of unit.views) for (const statement of createIndexes(schema, view)) await client.query(statement);
    await client.query(`UPDATE projection SET state = 'live', live_at = now(), error = NULL, total = NULL WHERE schema = $1`, [schema]);
    if (unit.shown !== null && schema === unit.schema) await replaceViews(client, unit.shown, schema);
  });
  for (const view of unit.views) await db.query(`ANALYZE "${schema}"."${view.name}"`);
}

export async function dropSchema(db: pg.Pool, schema: string): Promise<void> {
  await inTransaction(db, async (client) => {
    await alone(client);
    await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await client.query('DELETE FROM projection WHERE schema = $1', [schema]);
  });
}

/** Older sets of views are kept for a day after the last instance that fed them: the way back of an upgrade. A silent log says nothing about who would feed them. */
export async function dropRetired(db: pg.Pool, ownSchema: string): Promise<void> {
  const { rows } = await db.query<{ schema: string }>({
    name: 'projection_retired',
    text: `SELECT old.schema FROM projection AS own JOIN projection AS old ON old.name = own.name AND old.created_at < own.created_at
      WHERE own.schema = $1 AND own.live_at < now() - interval '24 hours' AND old.moved_at < now() - interval '24 hours'
        AND NOT EXISTS (SELECT FROM lease WHERE lease.name = $2 || old.schema AND lease.heartbeat > now() - interval '24 hours')`,
    values: [ownSchema, runnerLeaseOf('')],
  });
  for (const { schema } of rows) await dropSchema(db, schema);
}

/** Puts a schema that was filled beside another in its place; who reads waits a moment, and never sees neither. */
export async function replaceSchema(db: pg.Pool, unit: ViewUnit, successor: string): Promise<void> {
  const { schema, shown } = unit;
  await inTransaction(db, async (client) => {
    await alone(client);
    const isLast = await takePlace(client, schema, successor);
    if (shown !== null && isLast) await replaceViews(client, shown, schema);
    await client.query(`DROP SCHEMA "${schema}_old" CASCADE`);
  });
}

/**
 * Since when it is live stays, for a version that was filled again is no newer than before, and so does a pause. Answers whether it is the one that
 * readers are shown.
 */
export async function takePlace(client: pg.PoolClient, schema: string, successor: string): Promise<boolean> {
  const { rows: old } = await client.query<{ live: string | null; paused: boolean }>(
    'DELETE FROM projection WHERE schema = $1 RETURNING live_at::text AS live, paused',
    [schema],
  );
  await client.query(`ALTER SCHEMA "${schema}" RENAME TO "${schema}_old"`);
  await client.query(`ALTER SCHEMA "${successor}" RENAME TO "${schema}"`);
  await client.query(
    `UPDATE projection SET schema = $1, state = 'live', live_at = coalesce($3::timestamptz, now()), paused = $4, total = NULL WHERE schema = $2`,
    [schema, successor, old[0]?.live ?? null, old[0]?.paused === true],
  );
  return isShown(client, schema);
}

/** A version that was shown before and is abreast of the log is shown again. */
export async function showAgain(db: pg.Pool, unit: ViewUnit): Promise<void> {
  await inTransaction(db, async (client) => {
    await client.query('UPDATE projection SET live_at = now() WHERE schema = $1', [unit.schema]);
    if (unit.shown !== null) await replaceViews(client, unit.shown, unit.schema);
  });
}
