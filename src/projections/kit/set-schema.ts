import type pg from 'pg';
import { type Projection, publicSchemaOf } from './define-projection.ts';
import { replaceViews } from './shown-views.ts';
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
