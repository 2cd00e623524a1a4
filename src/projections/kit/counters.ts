import type pg from 'pg';
import { cleanText } from './normal.ts';

type Value = string | number | boolean;
type Key = Readonly<Record<string, Value>>;
type Amounts = Readonly<Record<string, number>>;

interface Group {
  readonly table: string;
  readonly keys: readonly string[];
  readonly amounts: readonly string[];
  readonly rows: Map<string, Record<string, Value>>;
}

const NAME = /^[a-z_][a-z0-9_]*$/i;

/** What `tx.add` was told since the last statement, summed up, written as one set a table. */
export class Counters {
  private groups = new Map<string, Group>();

  add(table: string, given: Key, amounts: Amounts): void {
    const [keys, names] = [Object.keys(given), Object.keys(amounts)];
    const group = this.group(table, keys, names);
    // Text that Postgres cannot hold would spoil the whole set.
    const values = keys.map((name) => clean(given[name]));
    const [only] = values;
    const id = values.length === 1 && typeof only === 'string' ? only : JSON.stringify(values);
    let row = group.rows.get(id);
    if (row === undefined) {
      row = {};
      for (const [index, name] of keys.entries()) row[name] = values[index] ?? '';
      group.rows.set(id, row);
    }
    for (const name of names) row[name] = Number(row[name] ?? 0) + (amounts[name] ?? 0);
  }

  async flush(db: pg.PoolClient): Promise<void> {
    if (this.groups.size === 0) return;
    const groups = [...this.groups.values()];
    this.groups = new Map();
    for (const group of groups) {
      await db.query(statement(group), [JSON.stringify([...group.rows.values()])]).catch((cause: unknown) => {
        throw explained(group, cause);
      });
    }
  }

  drop(): void {
    this.groups = new Map();
  }

  private group(table: string, keys: readonly string[], amounts: readonly string[]): Group {
    const id = `${table} ${keys.join(' ')} + ${amounts.join(' ')}`;
    const known = this.groups.get(id);
    if (known !== undefined) return known;
    const odd = [table, ...keys, ...amounts].find((name) => !NAME.test(name));
    if (odd !== undefined) throw new Error(`"${odd}" is no name of a table or column`);
    if (keys.length === 0 || amounts.length === 0) throw new Error(`adding to ${table} needs a key and an amount`);
    const made: Group = { table, keys, amounts, rows: new Map() };
    this.groups.set(id, made);
    return made;
  }
}

/** What Postgres says of the statement that was made here says little to the author of `tx.add`. */
function explained({ table, keys, amounts }: Group, cause: unknown): unknown {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  const call = `tx.add('${table}', …)`;
  if (code === '42P10')
    return new Error(`${call}: the key (${keys.join(', ')}) needs a PRIMARY KEY or UNIQUE constraint over just these columns`, { cause });
  if (code === '42704' || code === '42P01')
    return new Error(`${call}: there is no table ${table} among the "tables" of this projection`, { cause });
  if (code === '42703')
    return new Error(`${call}: the table ${table} lacks one of the columns ${[...keys, ...amounts].join(', ')}`, { cause });
  return cause;
}

const clean = (value: Value | undefined): Value | undefined => (typeof value === 'string' ? cleanText(value) : value);

/** The values take the types of the table's own columns. */
function statement({ table, keys, amounts }: Group): string {
  const columns = [...keys, ...amounts].map((name) => `"${name}"`).join(', ');
  const sums = amounts.map((name) => `"${name}" = coalesce(t."${name}", 0) + excluded."${name}"`).join(', ');
  return `INSERT INTO "${table}" AS t (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::"${table}", $1)
    ON CONFLICT (${keys.map((name) => `"${name}"`).join(', ')}) DO UPDATE SET ${sums}`;
}
