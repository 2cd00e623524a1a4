import type pg from 'pg';
import { PIECE_BYTES } from './frames.ts';

/** The part of the protocol's connection that a COPY needs; the driver has it but does not offer it. */
interface CopyConnection {
  readonly stream: { pause(): void; resume(): void; destroy(): void };
  query(text: string): void;
}

/** `COPY … TO STDOUT`, in pieces; the server waits while the reader is busy, so that a huge table takes no more memory than a small one. */
export class CopyOut {
  private rows = 0;
  private connection: CopyConnection | undefined;
  private parts: Buffer[] = [];
  private size = 0;
  private state: 'running' | 'done' | Error = 'running';
  private wake: () => void = () => undefined;

  private constructor(private readonly text: string) {}

  /** To be read to the end; who stops before has no connection any more. */
  static async *of(client: pg.Client, text: string, count: (rows: number) => void): AsyncGenerator<Buffer> {
    const copy = client.query(new CopyOut(text));
    try {
      for (;;) {
        const piece = await copy.next();
        count(copy.rows);
        if (piece === null) return;
        yield piece;
      }
    } finally {
      if (copy.state === 'running') copy.connection?.stream.destroy();
    }
  }

  submit(connection: CopyConnection): void {
    this.connection = connection;
    connection.query(this.text);
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // The driver uses its buffer again.
    this.parts.push(Buffer.from(chunk));
    this.size += chunk.length;
    this.rows += 1;
    if (this.size < PIECE_BYTES) return;
    this.connection?.stream.pause();
    this.wake();
  }

  handleError(error: Error): void {
    this.end(error);
  }

  handleReadyForQuery(): void {
    this.end('done');
  }

  handleCommandComplete(): void {
    // The rows were counted.
  }

  private async next(): Promise<Buffer | null> {
    if (this.size < PIECE_BYTES && this.state === 'running') {
      this.connection?.stream.resume();
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    if (this.state instanceof Error) throw this.state;
    if (this.size === 0) return null;
    const piece = Buffer.concat(this.parts, this.size);
    [this.parts, this.size] = [[], 0];
    return piece;
  }

  private end(state: 'done' | Error): void {
    if (this.state === 'running') this.state = state;
    // The end may have come with the piece that was one too many; the next query needs the stream.
    this.connection?.stream.resume();
    this.wake();
  }
}
