import type pg from 'pg';
import { cleanText } from './normal.ts';

type Key = Readonly<Record<string, string | number | boolean>>;
type Amounts = Readonly<Record<string, number>>;

interface Group {
  readonly table: string;
  readonly keys: readonly string[];
  readonly amounts: readonly string[];
  readonly rows: Map<string, Record<string, string | number | boolean>>;
}

const NAME = /^[a-z_][a-z0-9_]*$/i;

/** What `tx.add` was told since the last statement, summed up, written as one set a table. */
export class Counters {
  private groups = new Map<string, Group>();

  add(table: string, given: Key, amounts: Amounts): void {
    const key = clean(given);
    const group = this.group(table, Object.keys(key), Object.keys(amounts));
    const id = JSON.stringify(Object.values(key));
    const row = group.rows.get(id);
    if (row === undefined) group.rows.set(id, { ...key, ...amounts });
    else for (const [name, amount] of Object.entries(amounts)) row[name] = Number(row[name] ?? 0) + amount;
  }

  async flush(db: pg.PoolClient): Promise<void> {
    const groups = [...this.groups.values()];
    this.groups = new Map();
    for (const group of groups) await db.query({ ...statement(group), values: [JSON.stringify([...group.rows.values()])] });
  }

  drop(): void {
    this.groups = new Map();
  }

  private group(table: string, keys: readonly string[], amounts: readonly string[]): Group {
    const id = [table, ...keys, '+', ...amounts].join(' ');
    const known = this.groups.get(id);
    if (known !== undefined) return known;
    const odd = [table, ...keys, ...amounts].find((name) => !NAME.test(name));
    if (odd !== undefined) throw new Error(`"${odd}" is no name of a table or column`);
    const made: Group = { table, keys, amounts, rows: new Map() };
    this.groups.set(id, made);
    return made;
  }
}

/** Text that Postgres cannot hold would spoil the whole set. */
const clean = (key: Key): Key =>
  Object.fromEntries(Object.entries(key).map(([name, value]) => [name, typeof value === 'string' ? cleanText(value) : value]));

/** The values take the types of the table's own columns. */
function statement({ table, keys, amounts }: Group): { readonly text: string } {
  const columns = [...keys, ...amounts].map((name) => `"${name}"`).join(', ');
  const sums = amounts.map((name) => `"${name}" = coalesce(t."${name}", 0) + excluded."${name}"`).join(', ');
  return {
    text: `INSERT INTO "${table}" AS t (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::"${table}", $1)
      ON CONFLICT (${keys.map((name) => `"${name}"`).join(', ')}) DO UPDATE SET ${sums}`,
  };
}
