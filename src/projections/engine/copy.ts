import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type pg from 'pg';
import { copyIn } from '../../persistence/copy.ts';

const CHUNK_CHARACTERS = 256 * 1024;

/** Writes lines of COPY's text format, an order of magnitude cheaper than inserts. */
export async function copyLines(client: pg.PoolClient, table: string, columns: readonly string[], lines: Iterable<string>): Promise<void> {
  await copyIn(client, table, columns, chunksOf(lines));
}

async function* chunksOf(lines: Iterable<string>): AsyncGenerator<Buffer> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(chunk);
    chunk = '';
    // Serialising thousands of rows takes a while.
    await yieldToOthers();
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

const SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A value in COPY's text format. */
export const copyText = (value: string | null): string =>
  value === null ? '\\N' : value.replace(SPECIAL, (found) => ESCAPES[found] ?? found);

/** JSON text contains no control characters, only backslashes have to be escaped. */
export const copyJson = (row: object | null): string => {
  if (row === null) return '\\N';
  const text = JSON.stringify(row);
  return text.includes('\\') ? text.replaceAll('\\', '\\\\') : text;
};
