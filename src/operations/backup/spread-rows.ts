import type pg from 'pg';
import { FIRST_SLOT } from '../../platform/observations/packs/pack-kind.ts';
import type { ObservationSchema, ObservationSchemas } from '../../platform/observations/schemas.ts';
import { sqlShardOf } from '../../platform/observations/shards.ts';

export interface RowsToSpread {
  readonly table: string;
  /** A temporary table with these columns. */
  readonly from: string;
  readonly columns: readonly string[];
  /** The `ON CONFLICT` clause, or nothing. */
  readonly conflict?: string;
}

/** Observations of a version before the shards, whose rows hold projects of several schemas. */
export class FormerRows extends Error {
  override readonly name = 'FormerRows';
}

/** How the project of a row is found: in the row, in its slot, or by another table of the schema; `key` is the column that leads there. */
type Place =
  | { readonly by: 'project' | 'slot' | 'first' }
  | { readonly by: 'owner'; readonly key: string; readonly owners: (schema: ObservationSchema) => string };

const byProject: Place = { by: 'project' };
const bySlot: Place = { by: 'slot' };
const byCheck: Place = {
  by: 'owner',
  key: 'check_id',
  owners: (schema) => `SELECT check_id FROM ${schema.table('latest_run')}`,
};
const places: Readonly<Record<string, Place>> = {
  closed_book: byProject,
  sample_hour: byProject,
  run_hour: byProject,
  latest_run: byProject,
  latest_look: byProject,
  kept_exchange: byProject,
  form_html: byProject,
  sample_flush: bySlot,
  run_flush: bySlot,
  job_run: byCheck,
  kept_answer: byCheck,
  kept_page: {
    by: 'owner',
    key: 'sha256',
    owners: (schema) =>
      `SELECT page FROM ${schema.table('kept_answer')} UNION SELECT page FROM ${schema.table('kept_exchange')} WHERE page IS NOT NULL`,
  },
  page_body_orphan: { by: 'first' },
};

/** Tables of which several schemas may hold the same row, such as a page that checks of different projects have kept: a backup has each of them. */
const shared: ReadonlySet<string> = new Set(['job_run', 'kept_answer', 'kept_page', 'page_body_orphan']);

export const mayRepeatRows = (table: string): boolean => shared.has(table);

/**
 * Inserts rows into the schemas of their projects; a row whose project is unknown into each of them, so that none is lost. The tables that others are found by
 * come first: `latest_run`, then `kept_answer` and `kept_exchange`, then `kept_page`.
 */
export async function spreadRows(client: pg.ClientBase, schemas: ObservationSchemas, rows: RowsToSpread): Promise<void> {
  const { table, from, conflict = '' } = rows;
  const place = schemas.areNamed ? places[table] : { by: 'first' as const };
  if (place === undefined) throw new Error(`${table} is no table of observations`);
  if (place.by === 'slot') await refuseFormerRows(client, from);
  if (place.by === 'owner') await collectOwners(client, schemas, place.owners);
  const columns = rows.columns.filter((column) => column !== 'id').join(', ');
  const order = rows.columns.includes('id') ? 'ORDER BY id' : '';
  for (const [index, schema] of schemas.all.entries()) {
    const where = conditionOf(place, index, schemas.all.length);
    if (where === null) break;
    await client.query(
      `INSERT INTO ${schema.table(table)} (${columns}) SELECT ${columns} FROM ${from} AS given WHERE ${where} ${order} ${conflict}`,
    );
  }
  if (place.by === 'owner') await client.query('DROP TABLE row_owner');
}

/** Null when no row of the table belongs to this schema or one after it. */
function conditionOf(place: Place, index: number, count: number): string | null {
  const isHere = (shard: string): string => `(${shard}) % ${String(count)} = ${String(index)}`;
  switch (place.by) {
    case 'first':
      return index === 0 ? 'true' : null;
    case 'project':
      return isHere(sqlShardOf('project_id'));
    case 'slot':
      return isHere(`slot - ${String(FIRST_SLOT)}`);
    case 'owner': {
      const owner = `SELECT FROM row_owner WHERE key = given.${place.key}`;
      return `EXISTS (${owner} AND place = ${String(index)}) OR NOT EXISTS (${owner})`;
    }
  }
}

async function refuseFormerRows(client: pg.ClientBase, from: string): Promise<void> {
  const { rowCount } = await client.query(`SELECT FROM ${from} WHERE slot < ${String(FIRST_SLOT)} LIMIT 1`);
  if (rowCount !== 0)
    throw new FormerRows(
      'some measurements were stored by a version before the shards and are not compacted yet: use OBSERVATION_SCHEMAS=1 first',
    );
}

async function collectOwners(
  client: pg.ClientBase,
  schemas: ObservationSchemas,
  owners: (schema: ObservationSchema) => string,
): Promise<void> {
  await client.query('CREATE TEMPORARY TABLE row_owner (key bytea, place integer)');
  for (const [index, schema] of schemas.all.entries())
    await client.query(`INSERT INTO row_owner SELECT key, ${String(index)} FROM (${owners(schema)}) AS owner (key)`);
  await client.query('ANALYZE row_owner');
}
