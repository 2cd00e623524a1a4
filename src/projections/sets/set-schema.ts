import { createHash } from 'node:crypto';
import type pg from 'pg';
import { inTransaction } from '../../persistence/transaction.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { replaceViews } from '../engine/shown-views.ts';
import { alone, takePlace } from '../views/unit-schema.ts';
import { publicSchemaOf } from '../engine/schema-names.ts';

/** The tables are not what they should be, and only the author can mend that. */
export class TablesInvalid extends Error {
  override readonly name = 'TablesInvalid';
}

/** The schema with its empty tables, made once. It remembers what they were made from. */
export async function ensureSetSchema(db: pg.Pool, projection: Projection, schema: string): Promise<void> {
  await inTransaction(db, async (client) => {
    await alone(client);
    const { rowCount } = await client.query('INSERT INTO projection (schema, name, version) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      schema,
      projection.name,
      String(projection.version),
    ]);
    if (rowCount === 0) return sameTables(client, projection, schema);
    await client.query(`CREATE SCHEMA "${schema}"; SET LOCAL search_path = "${schema}"`);
    for (const statement of projection.tables) {
      await client.query(statement).catch((cause: unknown) => {
        throw refused(projection, statement, cause);
      });
    }
    await client.query(`COMMENT ON SCHEMA "${schema}" IS '${madeFrom(projection)}'`);
  });
}

const withoutLayout = (statement: string): string =>
  statement
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')
    .trim();

const madeFrom = ({ tables }: Projection): string =>
  `tables ${createHash('sha256')
    .update(tables.map((statement) => withoutLayout(statement)).join(';'))
    .digest('hex')}`;

async function sameTables(client: pg.PoolClient, projection: Projection, schema: string): Promise<void> {
  const { rows } = await client.query<{ made: string | null }>(
    `SELECT obj_description(oid, 'pg_namespace') AS made FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  const made = rows[0]?.made ?? null;
  if (made === null || made === madeFrom(projection)) return;
  const { name, version } = projection;
  throw new TablesInvalid(
    `projection ${name}: its "tables" were changed, but version ${String(version)} is filled already. Raise "version" to ${String(version + 1)}: it is filled beside the old one, then takes its place`,
  );
}

function refused({ name }: Projection, statement: string, cause: unknown): TablesInvalid {
  const [start = ''] = statement.trim().split('\n');
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TablesInvalid(`projection ${name}: Postgres refuses "${start.slice(0, 100)}" of its "tables": ${reason}`, { cause });
}

/** Filled: from now on the team's SQL reads this version. In one transaction, so that nobody sees neither or half of it. */
export async function publish(db: pg.Pool, projection: Projection, schema: string): Promise<void> {
  await inTransaction(db, async (client) => {
    await alone(client);
    await client.query(`UPDATE projection SET state = 'live', live_at = now(), error = NULL, total = NULL WHERE schema = $1`, [schema]);
    await replaceViews(client, publicSchemaOf(projection), schema);
  });
}

/** Puts what was filled beside the tables in use in their place. */
export async function replaceSetSchema(db: pg.Pool, projection: Projection, schema: string, successor: string): Promise<void> {
  await inTransaction(db, async (client) => {
    await alone(client);
    const isLast = await takePlace(client, schema, successor);
    if (isLast) await replaceViews(client, publicSchemaOf(projection), schema);
    await client.query(`DROP SCHEMA "${schema}_old" CASCADE`);
  });
}
