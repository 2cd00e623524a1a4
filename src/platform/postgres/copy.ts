import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

const LINE_FEED = 0x0a;

/** `COPY … FROM STDIN`, no faster than the server accepts the chunks. Answers the number of rows. Names must come from the database or from the program. */
export async function copyIn(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<number> {
  const copy = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  await pipeline(Readable.from(chunks), copy);
  return copy.rowCount;
}

/**
 * `COPY … TO STDOUT` in pieces of at least `pieceBytes`, each with the number of rows so far; the server waits while the reader is busy. A reader
 * that stops before the end must close the connection.
 */
export async function* copyOut(
  client: pg.ClientBase,
  query: string,
  pieceBytes: number,
): AsyncGenerator<{ readonly piece: Buffer; readonly rows: number }> {
  let [chunks, bytes, rows]: [Buffer[], number, number] = [[], 0, 0];
  const copy: AsyncIterable<Buffer> = client.query(copyTo(`COPY (${query}) TO STDOUT`));
  for await (const chunk of copy) {
    chunks.push(chunk);
    bytes += chunk.length;
    rows += rowsIn(chunk);
    if (bytes < pieceBytes) continue;
    yield { piece: Buffer.concat(chunks, bytes), rows };
    [chunks, bytes] = [[], 0];
  }
  if (bytes > 0) yield { piece: Buffer.concat(chunks, bytes), rows };
}

/** A row ends with a line feed; the text format escapes those inside of values. */
function rowsIn(chunk: Buffer): number {
  let rows = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) rows++;
  return rows;
}
