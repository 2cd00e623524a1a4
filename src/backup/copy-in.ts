import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** The part of the protocol's connection that a COPY needs; the driver has it but does not offer it. */
interface CopyConnection {
  readonly stream: Duplex;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** `COPY … FROM STDIN` of pieces that come one after the other, no faster than the server takes them. */
class CopyIn {
  callback: ((error?: Error) => void) | undefined;
  rows = 0;
  private readonly over = new AbortController();
  private failure: Error | undefined;

  constructor(
    private readonly text: string,
    private readonly pieces: AsyncIterable<Buffer>,
  ) {}

  submit(connection: { query(text: string): void }): void {
    connection.query(this.text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    void this.pump(connection);
  }

  handleError(error: Error): void {
    this.failure ??= error;
    this.over.abort();
    this.callback?.(this.failure);
  }

  handleReadyForQuery(): void {
    if (this.failure === undefined) this.callback?.();
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.rows = Number(/^COPY (\d+)$/.exec(text)?.[1]);
  }

  /** Says nothing more once the server has refused: what comes next on the connection is somebody else's. */
  private async pump(connection: CopyConnection): Promise<void> {
    const { signal } = this.over;
    try {
      for await (const piece of this.pieces) {
        if (signal.aborted) return;
        connection.sendCopyFromChunk(piece);
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain', { signal });
      }
      if (!signal.aborted) connection.endCopyFrom();
    } catch (error) {
      if (signal.aborted) return;
      this.failure = error instanceof Error ? error : new Error(String(error));
      connection.sendCopyFail('the backup could not be read');
    }
  }
}

/** Answers how many rows there were. `table` and `columns` are names that the database itself told. */
export async function copyIn(client: pg.Client, table: string, columns: readonly string[], pieces: AsyncIterable<Buffer>): Promise<number> {
  const copy = new CopyIn(`COPY "${table}" (${columns.map((name) => `"${name}"`).join(', ')}) FROM STDIN`, pieces);
  await new Promise<void>((resolve, reject) => {
    copy.callback = (error) => {
      if (error === undefined) resolve();
      else reject(error);
    };
    client.query(copy);
  });
  return copy.rows;
}
