import type { View, Summary } from '../authoring/define-view.ts';
import { summariesOf } from '../authoring/summary.ts';
import { type Column, type ColumnKind, sqlType } from '../authoring/columns.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { ensureSchema, publishSchema } from '../engine/schemas.ts';
import type { ViewUnit } from './unit.ts';
import type pg from 'pg';

/** The columns of a read row. */
export const rowColumns = (view: View): string => ['key', 'doc', 'parked', ...summariesOf(view).map(([field]) => `"${field}"`)].join(', ');

export const tableOf = (schema: string, view: { readonly name: string }): string => `"${schema}"."${view.name}"`;

/** The summaries of this unit's rows after a fill, and from then on with every change of the rows that they depend on. */
function summaryStatements(schema: string, unit: ViewUnit): readonly string[] {
  return unit.views.flatMap((view) =>
    summariesOf(view)
      // A view that is tested alone has no rows to summarize.
      .filter(([, { of }]) => unit.views.includes(of))
      .flatMap(([name, summary]) => [
        `UPDATE ${tableOf(schema, view)} AS v SET "${name}" = s.value FROM (SELECT key, ${valueOf(tableOf(schema, summary.of), summary)} AS value FROM ${tableOf(schema, view)} AS v) AS s WHERE v.key = s.key AND s.value IS NOT NULL`,
        `CREATE INDEX ON ${tableOf(schema, view)} ("${name}", key)`,
        `CREATE INDEX ON ${tableOf(schema, view)} (key) WHERE parked`,
        ...triggers(schema, view, name, summary),
      ]),
  );
}

const valueOf = (table: string, { column, values }: Summary): string =>
  `CASE ${values.map((value) => `WHEN EXISTS (SELECT FROM ${table} AS o WHERE o."${column}" = v.key || '/${value}') THEN '${value}'`).join(' ')} END`;

/** A rebuild renames its schema, so the function finds the tables by the schema of the trigger's table. */
function triggers(schema: string, view: View, name: string, summary: Summary): readonly string[] {
  const routine = `"${schema}"."summarize_${view.name}_${name}"`;
  const update = `UPDATE %1$I."${view.name}" AS v SET "${name}" = s.value
    FROM (SELECT v.key, ${valueOf(`%1$I."${summary.of.name}"`, summary)} AS value
      FROM (SELECT DISTINCT substr(scope, ${String(view.scope.length + 2)}) AS key FROM changed) AS v) AS s
    WHERE v.key = s.key AND v."${name}" IS DISTINCT FROM s.value`;
  const on = (event: string, rows: 'NEW' | 'OLD'): readonly string[] => {
    const trigger = `"summarize_${view.name}_${name}_${event.toLowerCase()}"`;
    return [
      `DROP TRIGGER IF EXISTS ${trigger} ON ${tableOf(schema, summary.of)}`,
      `CREATE TRIGGER ${trigger} AFTER ${event} ON ${tableOf(schema, summary.of)} REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ${routine}()`,
    ];
  };
  return [
    `CREATE OR REPLACE FUNCTION ${routine} () RETURNS trigger LANGUAGE plpgsql AS $trigger$
     BEGIN
       IF EXISTS (SELECT FROM changed) THEN EXECUTE format($update$${update}$update$, TG_TABLE_SCHEMA); END IF;
       RETURN NULL;
     END $trigger$`,
    ...on('INSERT', 'NEW'),
    ...on('UPDATE', 'NEW'),
    ...on('DELETE', 'OLD'),
  ];
}

const RESERVED = ['key', 'scope', 'n', 'doc', 'parked'];

/** Empty tables; indexes come after the first fill. `own` hands the schema to another role. */
export async function ensureViewTables(
  db: pg.Pool,
  unit: ViewUnit,
  schema = unit.schema,
  own: (client: pg.PoolClient, schema: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const give = (client: pg.PoolClient): Promise<void> => own(client, schema);
  const createTables = async (client: pg.PoolClient): Promise<void> => {
    for (const view of unit.views) await client.query(createTable(schema, view));
    await give(client);
  };
  await ensureSchema(db, { schema, name: unit.name, version: unit.signature, createTables, verifyTables: give });
}

/** Indexes, statistics and publication after a fill. Tables beside those in use are not shown to a team's SQL. */
export async function finishViewTables(db: pg.Pool, unit: ViewUnit, schema = unit.schema): Promise<void> {
  await publishSchema(db, schema, schema === unit.schema ? unit.publicSchema : null, async (client) => {
    await client.query('SET LOCAL statement_timeout = 0');
    for (const view of unit.views) for (const statement of createIndexes(schema, view)) await client.query(statement);
    for (const statement of summaryStatements(schema, unit)) await client.query(statement);
  });
  for (const view of unit.views)
    await inTransaction(db, async (client) => {
      await client.query('SET LOCAL statement_timeout = 0');
      await client.query(`ANALYZE ${tableOf(schema, view)}`);
    });
}

/** A deleted row keeps its place with a null document: its scope is needed to fold it as of an earlier instant. */
function createTable(schema: string, view: View): string {
  const columns = columnsOf(view).map(([name, { kind }]) => `"${name}" ${sqlType[kind]}`);
  const summaries = summariesOf(view).map(([name]) => `"${name}" ${sqlType.text}`);
  return `CREATE TABLE ${tableOf(schema, view)} (${[
    'key text COLLATE "C" PRIMARY KEY',
    'scope text COLLATE "C" NOT NULL',
    'n bigint NOT NULL',
    'doc json',
    'parked boolean NOT NULL DEFAULT false',
    ...columns,
    ...summaries,
  ].join(', ')}) WITH (fillfactor = 85)`;
}

const sorted = (name: string): string => `(${name}, key)`;

/** New entries of an inverted index wait in a list that every look-up reads to its end: a short one, of 64 KB. */
const inverted = (name: string): string => `USING gin (${name}) WITH (gin_pending_list_limit = 64)`;

const INDEX: Readonly<Record<ColumnKind, (name: string) => string>> = {
  integer: sorted,
  text: sorted,
  search: sorted,
  boolean: sorted,
  integers: inverted,
  texts: inverted,
  grams: inverted,
};

/** An index that is built once costs a tenth of one that every filled row maintains. */
function createIndexes(schema: string, view: View): readonly string[] {
  const table = tableOf(schema, view);
  return [
    `CREATE INDEX ON ${table} (scope, key)`,
    ...columnsOf(view)
      .filter(([, { indexed }]) => indexed)
      .map(([name, { kind }]) => `CREATE INDEX ON ${table} ${INDEX[kind](`"${name}"`)}`),
    ...view.indexes.map((names) => `CREATE INDEX ON ${table} (${[...names, 'key'].map((name) => `"${name}"`).join(', ')})`),
  ];
}

type NamedColumn = readonly [string, Column<object>];
const known = new WeakMap<View, readonly NamedColumn[]>();

/** Verified once a view, because it is asked for every row. */
export function columnsOf(view: View): readonly NamedColumn[] {
  const columns = known.get(view) ?? verifiedColumns(view);
  known.set(view, columns);
  return columns;
}

function verifiedColumns(view: View): readonly NamedColumn[] {
  const columns = Object.entries(view.columns);
  for (const [name] of [...columns, ...summariesOf(view)]) {
    if (RESERVED.includes(name) || !/^[a-z][a-z0-9_]*$/i.test(name))
      throw new Error(`view ${view.name}: "${name}" is not a valid column name (letters, digits and _; not ${RESERVED.join(', ')})`);
  }
  return columns;
}
