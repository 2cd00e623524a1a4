import { type Column, sqlType } from '../authoring/columns.ts';
import type { View } from '../authoring/define-view.ts';

const OWN = ['key', 'scope', 'n', 'doc', 'parked'];

export const tableOf = (schema: string, view: View): string => `"${schema}"."${view.name}"`;

/** A row that was taken away keeps its place with a null document: what it belonged to is needed to fold it as of an earlier instant. */
export function createTable(schema: string, view: View): string {
  const columns = columnsOf(view).map(([name, { kind }]) => `"${name}" ${sqlType[kind]}`);
  return `CREATE TABLE ${tableOf(schema, view)} (${[
    'key text COLLATE "C" PRIMARY KEY',
    'scope text COLLATE "C" NOT NULL',
    'n bigint NOT NULL',
    'doc json',
    'parked boolean NOT NULL DEFAULT false',
    ...columns,
  ].join(', ')}) WITH (fillfactor = 85)`;
}

/** Made last: an index that is built once costs a tenth of one that every filled row maintains. */
export function createIndexes(schema: string, view: View): readonly string[] {
  const table = tableOf(schema, view);
  return [
    `CREATE INDEX ON ${table} (scope, key)`,
    ...columnsOf(view)
      .filter(([, { indexed }]) => indexed)
      .map(([name, { kind }]) =>
        kind === 'integers' ? `CREATE INDEX ON ${table} USING gin ("${name}")` : `CREATE INDEX ON ${table} ("${name}", key)`,
      ),
  ];
}

type NamedColumn = readonly [string, Column<object>];
const known = new WeakMap<View, readonly NamedColumn[]>();

/** Asked for every row that is written: looked at once a view. */
export function columnsOf(view: View): readonly NamedColumn[] {
  const columns = known.get(view) ?? checked(view);
  known.set(view, columns);
  return columns;
}

function checked(view: View): readonly NamedColumn[] {
  const columns = Object.entries(view.columns);
  for (const [name] of columns) {
    if (OWN.includes(name) || !/^[a-z][a-z0-9_]*$/i.test(name)) throw new Error(`view ${view.name}: no column can be called ${name}`);
  }
  return columns;
}
