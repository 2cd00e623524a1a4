import type pg from 'pg';
import { fingerprintOf, KeyStates } from './key-states.ts';
import { tryUnwrap } from './master-keys.ts';
import { wrap } from './master-key.ts';

/** Every table with wrapped keys: the column that identifies a row, and the name under which it was wrapped. */
const TABLES = [
  { table: 'installation_secrets', id: 'name', wrappedAs: (id: string) => id },
  { table: 'ledger_key', id: 'verifier_key', wrappedAs: () => 'seal' },
  { table: 'subject_keys', id: 'subject', wrappedAs: (id: string) => id },
] as const;
type WrappedTable = (typeof TABLES)[number];

const PAGE = 1_000;

export interface WrapCounts {
  /** Wrapped by the key in use. */
  readonly active: number;
  readonly previous: number;
  /** Opened by neither of the configured keys. */
  readonly unknown: number;
}

export type RewrapResult =
  | { readonly kind: 'rewrapped'; readonly rows: number }
  | { readonly kind: 'nothing to do' }
  | { readonly kind: 'refused'; readonly reason: string };

interface Keys {
  readonly active: Uint8Array;
  readonly previous: Uint8Array | null;
}

/**
 * Makes the newest of the two keys the one in use, wraps every row with it, and retires the other. Interrupted at any point it continues when repeated;
 * instances with both keys read and write meanwhile.
 */
export async function rotateMasterKey(
  pool: pg.Pool,
  [newest, other]: readonly Uint8Array[],
  onProgress: (rows: number, total: number) => void,
): Promise<RewrapResult> {
  const states = new KeyStates(pool);
  const known = await states.of('master');
  const stateOf = (key: Uint8Array | undefined): string | undefined =>
    key === undefined ? undefined : known.find(({ fingerprint }) => fingerprint === fingerprintOf('master', key))?.state;
  if (newest === undefined) return { kind: 'refused', reason: 'there is no master key' };
  if (stateOf(newest) === 'active' && !known.some(({ state }) => state === 'previous')) return { kind: 'nothing to do' };
  if (stateOf(newest) === 'retired')
    return { kind: 'refused', reason: 'the new master key was in use before and is retired: generate another one' };
  if (other === undefined || !['active', 'previous'].includes(stateOf(other) ?? ''))
    return { kind: 'refused', reason: 'MASTER_KEY_PREVIOUS: must be the master key that was in use until now' };
  if (stateOf(newest) !== 'active' && !(await states.rotate('master', fingerprintOf('master', other), fingerprintOf('master', newest))))
    return { kind: 'refused', reason: 'another rotation is unfinished: repeat it with the keys that it began with' };
  const total = (await countWraps(pool, { active: newest, previous: other })).previous;
  let rows = 0;
  for (const table of TABLES)
    for await (const page of pagesOf(pool, table)) {
      rows += await rewrapPage(pool, table, page, { active: newest, previous: other });
      onProgress(rows, Math.max(rows, total));
    }
  const left = await countWraps(pool, { active: newest, previous: other });
  if (left.previous + left.unknown > 0)
    return {
      kind: 'refused',
      reason: `${String(left.previous + left.unknown)} rows could not be wrapped anew; the previous key stays in use for them`,
    };
  await states.retirePrevious('master');
  return { kind: 'rewrapped', rows };
}

export async function countWraps(pool: pg.Pool, { active, previous }: Keys): Promise<WrapCounts> {
  const counts = { active: 0, previous: 0, unknown: 0 };
  for (const table of TABLES)
    for await (const page of pagesOf(pool, table))
      for (const { id, wrapped } of page) {
        const name = table.wrappedAs(id);
        if (tryUnwrap(active, name, wrapped) !== null) counts.active++;
        else if (previous !== null && tryUnwrap(previous, name, wrapped) !== null) counts.previous++;
        else counts.unknown++;
      }
  return counts;
}

interface Row {
  readonly id: string;
  readonly wrapped: Buffer;
}

async function* pagesOf(pool: pg.Pool, { table, id }: WrappedTable): AsyncGenerator<readonly Row[]> {
  for (let after = ''; ;) {
    const { rows } = await pool.query<Row>(
      `SELECT ${id} AS id, wrapped FROM ${table} WHERE ${id} > $1 AND wrapped IS NOT NULL ORDER BY ${id} LIMIT ${String(PAGE)}`,
      [after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.id;
  }
}

/** Only where the row still holds what was read: a subject that is erased meanwhile stays erased. */
async function rewrapPage(
  pool: pg.Pool,
  { table, id, wrappedAs }: WrappedTable,
  page: readonly Row[],
  { active, previous }: Keys,
): Promise<number> {
  const changed = page.flatMap((row) => {
    const name = wrappedAs(row.id);
    if (previous === null || tryUnwrap(active, name, row.wrapped) !== null) return [];
    const key = tryUnwrap(previous, name, row.wrapped);
    return key === null ? [] : [{ ...row, next: wrap(active, name, key) }];
  });
  if (changed.length === 0) return 0;
  const { rowCount } = await pool.query(
    `UPDATE ${table} SET wrapped = mine.next FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS mine (id, before, next)
     WHERE ${table}.${id} = mine.id AND ${table}.wrapped = mine.before`,
    [changed.map((row) => row.id), changed.map(({ wrapped }) => wrapped), changed.map(({ next }) => next)],
  );
  return rowCount ?? 0;
}
