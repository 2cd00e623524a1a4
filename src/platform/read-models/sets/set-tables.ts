import { createHash } from 'node:crypto';
import type pg from 'pg';
import { inTransaction } from '../../postgres/transaction.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { HandlerTransaction } from '../authoring/projection-tx.ts';
import { ProjectionStopped } from '../engine/checkpoint.ts';
import { ensureSchema } from '../engine/schemas.ts';

const STATEMENT_MS = 10_000;

/** The `tables` of a projection are invalid, or changed without a new version: only its author can correct that. */
export class TablesInvalid extends ProjectionStopped {
  override readonly name = 'TablesInvalid';
}

/** Creates the empty tables of a schema once, and remembers as the schema's comment what they were created from. */
export const createSetTables = (db: pg.Pool, projection: Projection, schema: string): Promise<void> =>
  inTransaction(db, (client) => createOrVerify(client, projection, schema));

/** The same, and before that the schema. */
export async function ensureSetTables(db: pg.Pool, projection: Projection, schema: string): Promise<void> {
  const { name, version } = projection;
  await ensureSchema(db, { schema, name, version: String(version), createTables: () => Promise.resolve() });
  await createSetTables(db, projection, schema);
}

async function createOrVerify(client: pg.PoolClient, projection: Projection, schema: string): Promise<void> {
  const { rows } = await client.query<{ comment: string | null }>(
    `SELECT obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  const comment = rows[0]?.comment ?? null;
  if (comment !== null) {
    verifyUnchanged(projection, comment);
    return;
  }
  await client.query(`SET LOCAL search_path = "${schema}"`);
  for (const statement of projection.tables) {
    await client.query(statement).catch((cause: unknown) => {
      throw refused(projection, statement, cause);
    });
  }
  await client.query(`COMMENT ON SCHEMA "${schema}" IS '${fingerprint(projection)}'`);
}

const withoutLayout = (statement: string): string =>
  statement
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')
    .trim();

const fingerprint = ({ tables }: Projection): string =>
  `tables ${createHash('sha256')
    .update(tables.map((statement) => withoutLayout(statement)).join(';'))
    .digest('hex')}`;

function verifyUnchanged(projection: Projection, comment: string): void {
  if (comment === fingerprint(projection)) return;
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

/** A transaction whose search path is the projection's own schema, so that a handler cannot name a table of another one by accident. */
export function setTransaction<T>(
  db: pg.Pool,
  schema: string,
  work: (tx: HandlerTransaction, client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (client) => {
    await client.query(`SET LOCAL search_path = "${schema}"; SET LOCAL statement_timeout = ${String(STATEMENT_MS)}`);
    const tx = new HandlerTransaction(client);
    try {
      return await work(tx, client);
    } finally {
      tx.end();
    }
  });
}
