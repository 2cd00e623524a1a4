import { type SqliteValue, rowsOfTable } from './sqlite-table.ts';
import { SqliteDamaged, type SqliteSnapshot } from './sqlite-snapshot.ts';

export interface SqliteColumn {
  readonly name: string;
  /** The value in rows that are older than the column. */
  readonly initial: SqliteValue;
  /** Its value is the row id, and rows do not repeat it. */
  readonly isRowId: boolean;
}

/** A word, a quoted name or text, a number, or a single character. Comments are skipped. */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*'|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*|\S/g;
const TABLE_CONSTRAINT = /^(?:constraint|primary|unique|check|foreign)$/i;

/** The columns that a CREATE TABLE statement declares; null where rows are not stored by row ids, or not all of their values. */
function declaredColumns(sql: string): readonly SqliteColumn[] | null {
  const tokens = [...sql.matchAll(TOKEN)].map(([token]) => token).filter((token) => !/^(?:--|\/\*)/.test(token));
  const open = tokens.indexOf('(');
  const { parts, end } = partsOf(tokens, open + 1);
  if (open < 0 || /^without$/i.test(tokens[end + 1] ?? '')) return null;
  const declarations = parts.filter(([name = ')']) => !TABLE_CONSTRAINT.test(name) && name !== ')');
  const isGenerated = declarations.some((words) => words.some((word, at) => /^as$/i.test(word) && words[at + 1] === '('));
  return isGenerated ? null : declarations.map((declaration) => columnOf(declaration));
}

/** What stands between the commas outside of inner parentheses. */
function partsOf(tokens: readonly string[], from: number): { readonly parts: readonly (readonly string[])[]; readonly end: number } {
  const parts: string[][] = [[]];
  let depth = 0;
  let at = from;
  for (; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    if (token === ')' && depth === 0) break;
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (token === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return { parts, end: at };
}

function columnOf([name = '', ...rest]: readonly string[]): SqliteColumn {
  const words = rest.map((word) => word.toLowerCase());
  const isKey = words.some((word, at) => word === 'primary' && words[at + 1] === 'key');
  const at = words.indexOf('default');
  return { name: unquoted(name), isRowId: isKey && words[0] === 'integer', initial: at < 0 ? null : literal(rest.slice(at + 1)) };
}

const unquoted = (name: string): string =>
  /^["`[']/.test(name) ? name.slice(1, -1).replaceAll(/""|``|''/g, (pair) => pair.charAt(0)) : name;

/** A constant; an expression has no value without SQLite. */
function literal(tokens: readonly string[]): SqliteValue {
  const inner = tokens[0] === '(' ? tokens.slice(1, tokens.indexOf(')')) : tokens.slice(0, tokens[0] === '-' || tokens[0] === '+' ? 2 : 1);
  const text = inner.join('');
  if (/^(?:true|false)$/i.test(text)) return /^true$/i.test(text) ? 1 : 0;
  if (/^['"]/.test(text) && inner.length === 1) return unquoted(text);
  return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;
}

export type SqliteRecord = Readonly<Record<string, SqliteValue>>;

const SCHEMA_PAGE = 1;

/** The tables of a database, read from its file without SQLite (docs/decisions/sqlite-reader.md). */
export class SqliteDatabase {
  private readonly tables: ReadonlyMap<string, { readonly root: number; readonly sql: string }>;

  constructor(private readonly snapshot: SqliteSnapshot) {
    const tables = new Map<string, { readonly root: number; readonly sql: string }>();
    for (const { values } of rowsOfTable(snapshot, SCHEMA_PAGE)) {
      const [type, name, , root, sql] = values;
      if (type === 'table' && typeof name === 'string' && typeof root === 'number' && typeof sql === 'string')
        tables.set(name, { root, sql });
    }
    this.tables = tables;
  }

  has(table: string): boolean {
    return this.tables.has(table);
  }

  /** Each row by the names of its columns, all or `only` some; none for a table that does not exist. */
  *rows(table: string, only?: readonly string[]): Generator<SqliteRecord> {
    const found = this.tables.get(table);
    if (found === undefined) return;
    const columns = declaredColumns(found.sql);
    if (columns === null) throw new SqliteDamaged(`the table ${table} cannot be read`);
    const shown = columns.map((column, nth) => ({ ...column, nth })).filter(({ name }) => only?.includes(name) !== false);
    const wanted = only === undefined ? null : new Set(shown.map(({ nth }) => nth));
    for (const { rowId, values } of rowsOfTable(this.snapshot, found.root, wanted))
      yield Object.fromEntries(
        shown.map(({ name, initial, isRowId, nth }): [string, SqliteValue] => {
          const value = nth < values.length ? (values[nth] ?? null) : initial;
          return [name, isRowId && value === null ? rowId : value];
        }),
      );
  }
}
