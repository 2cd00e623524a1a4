import type pg from 'pg';
import { unthrottled } from '../engine/fill-rate-limit.ts';
import { cleanText } from './columns.ts';

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

/** The amounts of `tx.add` since the last statement, summed in memory and written as one set a table. */
export class Counters {
  private groups = new Map<string, Group>();
  private last: Group | undefined;

  add(table: string, given: Key, amounts: Amounts): void {
    const group = this.group(table, Object.keys(given), Object.keys(amounts));
    const id = idOf(group.keys, given);
    let row = group.rows.get(id);
    if (row === undefined) {
      row = {};
      // Text that Postgres cannot hold would fail the whole set.
      for (const name of group.keys) row[name] = clean(given[name]) ?? '';
      group.rows.set(id, row);
    }
    for (const name of group.amounts) row[name] = Number(row[name] ?? 0) + (amounts[name] ?? 0);
  }

  get size(): number {
    let rows = 0;
    for (const group of this.groups.values()) rows += group.rows.size;
    return rows;
  }

  async flush(db: pg.PoolClient, rateLimit = unthrottled()): Promise<void> {
    if (this.groups.size === 0) return;
    const groups = [...this.groups.values()];
    this.discard();
    for (const group of groups) {
      const rows = [...group.rows.values()];
      const { rowsPerStatement } = rateLimit;
      for (let from = 0; from < rows.length; from += rowsPerStatement) {
        const began = performance.now();
        await db.query(statement(group), [JSON.stringify(rows.slice(from, from + rowsPerStatement))]).catch((cause: unknown) => {
          throw withAdvice(group, cause);
        });
        await rateLimit.rest(performance.now() - began);
      }
    }
  }

  discard(): void {
    this.groups = new Map();
    this.last = undefined;
  }

  private group(table: string, keys: readonly string[], amounts: readonly string[]): Group {
    // Most handlers add to the same counters every time.
    const { last } = this;
    if (last?.table === table && sameNames(last.keys, keys) && sameNames(last.amounts, amounts)) return last;
    const id = `${table} ${keys.join(' ')} + ${amounts.join(' ')}`;
    const known = this.groups.get(id);
    if (known !== undefined) return (this.last = known);
    const invalid = [table, ...keys, ...amounts].find((name) => !NAME.test(name));
    if (invalid !== undefined) throw new Error(`"${invalid}" is not a valid name of a table or column (letters, digits and _)`);
    if (keys.length === 0 || amounts.length === 0) throw new Error(`tx.add('${table}', …) needs at least one key column and one amount`);
    const made: Group = { table, keys, amounts, rows: new Map() };
    this.groups.set(id, made);
    return (this.last = made);
  }
}

/** Text is prefixed with its length, so that ids are unambiguous, and cleaned, so that one row of Postgres is one row here. */
function idOf(names: readonly string[], given: Key): string {
  let id = '';
  for (const name of names) {
    const value = clean(given[name]);
    id += typeof value === 'string' ? `${String(value.length)}:${value}` : `${String(value)};`;
  }
  return id;
}

const sameNames = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((name, index) => name === right[index]);

/** The author of `tx.add` does not know the generated statement that Postgres complains about. */
function withAdvice({ table, keys, amounts }: Group, cause: unknown): unknown {
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

/**
 * `json_populate_recordset` casts the values to the types of the table's columns. It takes them from an empty row of the table, because a cast to the table's
 * name would find a type of Postgres of that name first (`name`, `path`).
 */
function statement({ table, keys, amounts }: Group): string {
  const columns = [...keys, ...amounts].map((name) => `"${name}"`).join(', ');
  const sums = amounts.map((name) => `"${name}" = coalesce(t."${name}", 0) + excluded."${name}"`).join(', ');
  return `INSERT INTO "${table}" AS t (${columns}) SELECT ${columns} FROM json_populate_recordset((SELECT table_row FROM "${table}" AS table_row WHERE false), $1)
    ON CONFLICT (${keys.map((name) => `"${name}"`).join(', ')}) DO UPDATE SET ${sums}`;
}
