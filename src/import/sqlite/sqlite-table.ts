import { SqliteDamaged, type SqliteSnapshot } from './sqlite-snapshot.ts';

export type SqliteValue = string | number | Uint8Array | null;

export interface SqliteRow {
  readonly rowId: number;
  readonly values: readonly SqliteValue[];
}

/** The places of the columns to decode; null for all. The value of any other column is null, which saves the time to decode it. */
export type WantedColumns = ReadonlySet<number> | null;

interface Reading {
  readonly snapshot: SqliteSnapshot;
  readonly wanted: WantedColumns;
}

const [INTERIOR, LEAF] = [5, 13];
const MAX_DEPTH = 30;
const MAX_ROW_BYTES = 64 * 1024 * 1024;

/** The rows of a table from its B-tree, in the order of their row ids. */
export function* rowsOfTable(snapshot: SqliteSnapshot, root: number, wanted: WantedColumns = null): Generator<SqliteRow> {
  // A page that is reached twice is part of a loop.
  const seen = new Set<number>();
  yield* rowsBelow({ snapshot, wanted }, root, seen, 0);
}

function* rowsBelow(reading: Reading, number: number, seen: Set<number>, depth: number): Generator<SqliteRow> {
  if (seen.has(number) || depth > MAX_DEPTH) throw new SqliteDamaged('the pages of a table form a loop');
  seen.add(number);
  const page = reading.snapshot.page(number);
  const start = number === 1 ? 100 : 0;
  const kind = page.readUInt8(start);
  if (kind !== INTERIOR && kind !== LEAF) throw new SqliteDamaged(`page ${String(number)} is not one of a table`);
  const cells = page.readUInt16BE(start + 3);
  const pointers = start + (kind === LEAF ? 8 : 12);
  if (pointers + cells * 2 > page.length) throw new SqliteDamaged(`page ${String(number)} has too many cells`);
  for (let nth = 0; nth < cells; nth++) {
    const at = page.readUInt16BE(pointers + nth * 2);
    if (kind === LEAF) yield rowAt(reading, page, at);
    else yield* rowsBelow(reading, uint32(page, at), seen, depth + 1);
  }
  if (kind === INTERIOR) yield* rowsBelow(reading, uint32(page, start + 8), seen, depth + 1);
}

function uint32(bytes: Buffer, at: number): number {
  if (at + 4 > bytes.length) throw new SqliteDamaged('a cell reaches beyond its page');
  return bytes.readUInt32BE(at);
}

function rowAt({ snapshot, wanted }: Reading, page: Buffer, at: number): SqliteRow {
  const length = varint(page, at);
  const rowId = varint(page, length.end);
  return { rowId: rowId.value, values: valuesOf(payloadAt(snapshot, page, rowId.end, length.value), snapshot.encoding, wanted) };
}

/** The bytes of a row, of which the last may stand on overflow pages. */
function payloadAt(snapshot: SqliteSnapshot, page: Buffer, at: number, length: number): Buffer {
  if (length > MAX_ROW_BYTES) throw new SqliteDamaged('a row is larger than 64 MiB');
  const { usable } = snapshot;
  const local = localBytes(length, usable);
  if (at + local > page.length) throw new SqliteDamaged('a row reaches beyond its page');
  if (local === length) return page.subarray(at, at + length);
  const parts = [page.subarray(at, at + local)];
  let left = length - local;
  for (let next = uint32(page, at + local); left > 0;) {
    const overflow = snapshot.page(next);
    const taken = Math.min(left, usable - 4);
    parts.push(overflow.subarray(4, 4 + taken));
    left -= taken;
    next = overflow.readUInt32BE(0);
  }
  return Buffer.concat(parts, length);
}

/** How much of a row stands on its own page; the formula is part of the file format. */
function localBytes(length: number, usable: number): number {
  const most = usable - 35;
  if (length <= most) return length;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const local = least + ((length - least) % (usable - 4));
  return local <= most ? local : least;
}

/** Up to nine bytes, seven bits of each but eight of the last; beyond 2^53 not exact. */
function varint(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let nth = 0; nth < 9; nth++) {
    const byte = bytes[at + nth];
    if (byte === undefined) throw new SqliteDamaged('a number reaches beyond its page');
    if (nth === 8) return { value: value * 256 + byte, end: at + 9 };
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, end: at + nth + 1 };
  }
  throw new SqliteDamaged('a number has no end');
}

function valuesOf(payload: Buffer, encoding: SqliteSnapshot['encoding'], wanted: WantedColumns): readonly SqliteValue[] {
  const header = varint(payload, 0);
  if (header.value > payload.length) throw new SqliteDamaged('the header of a row is longer than the row');
  const values: SqliteValue[] = [];
  for (let [at, body] = [header.end, header.value]; at < header.value;) {
    const type = varint(payload, at);
    const size = sizeOf(type.value);
    if (body + size > payload.length) throw new SqliteDamaged('a value reaches beyond its row');
    values.push(wanted?.has(values.length) === false ? null : valueOf(payload.subarray(body, body + size), type.value, encoding));
    [at, body] = [type.end, body + size];
  }
  return values;
}

const FIXED_SIZES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

const sizeOf = (type: number): number => (type >= 12 ? Math.floor((type - 12) / 2) : (FIXED_SIZES[type] ?? 0));

function valueOf(bytes: Buffer, type: number, encoding: SqliteSnapshot['encoding']): SqliteValue {
  if (type >= 12) return type % 2 === 0 ? new Uint8Array(bytes) : textOf(bytes, encoding);
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 6) return Number(bytes.readBigInt64BE(0));
  return bytes.length === 0 ? null : bytes.readIntBE(0, bytes.length);
}

function textOf(bytes: Buffer, encoding: SqliteSnapshot['encoding']): string {
  if (encoding === 'utf8') return bytes.toString('utf8');
  return encoding === 'utf16le'
    ? bytes.toString('utf16le')
    : Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le');
}
