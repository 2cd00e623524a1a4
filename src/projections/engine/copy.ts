import { setImmediate as yielding } from 'node:timers/promises';
import type pg from 'pg';

/** The part of the protocol's connection that a COPY needs; the driver has it but does not offer it. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** `COPY … FROM STDIN` of lines that are at hand: one message a chunk, nothing to plan, an order of magnitude cheaper than inserts. */
class CopyIn {
  private failure: Error | undefined;
  callback: ((error?: Error) => void) | undefined;

  constructor(
    private readonly text: string,
    private readonly chunks: readonly string[],
  ) {}

  submit(connection: { query(text: string): void }): void {
    connection.query(this.text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    for (const chunk of this.chunks) connection.sendCopyFromChunk(Buffer.from(chunk));
    connection.endCopyFrom();
  }

  handleError(error: Error): void {
    this.failure = error;
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    if (this.failure === undefined) this.callback?.();
  }

  handleCommandComplete(): void {
    // The count of rows is of no interest.
  }
}

const CHUNK_CHARACTERS = 256 * 1024;

/** `columns` and `table` are ours, never given by anybody. */
export async function copyIn(client: pg.PoolClient, table: string, columns: readonly string[], lines: Iterable<string>): Promise<void> {
  const chunks: string[] = [];
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    chunks.push(chunk);
    chunk = '';
    // Spelling out thousands of rows takes a while: others have their turn in between.
    await yielding();
  }
  if (chunk !== '') chunks.push(chunk);
  if (chunks.length === 0) return;
  await new Promise<void>((resolve, reject) => {
    const copy = new CopyIn(`COPY ${table} (${columns.join(', ')}) FROM STDIN`, chunks);
    copy.callback = (error) => {
      if (error === undefined) resolve();
      else reject(error);
    };
    client.query(copy);
  });
}

const SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A value in COPY's text format. */
export const copyText = (value: string | null): string =>
  value === null ? '\\N' : value.replace(SPECIAL, (found) => ESCAPES[found] ?? found);

/** JSON holds no control character, only backslashes need a second one. */
export const copyJson = (row: object | null): string => {
  if (row === null) return '\\N';
  const text = JSON.stringify(row);
  return text.includes('\\') ? text.replaceAll('\\', '\\\\') : text;
};
