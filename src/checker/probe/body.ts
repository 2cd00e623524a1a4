import type { Readable } from 'node:stream';
import type { Coding } from './content-coding.ts';
import { SMALL_BODY, type LargeBodies } from './large-bodies.ts';
import type { OpenThings } from './connections.ts';
import { Pieces } from './pieces.ts';
import type { Trouble } from './outcome.ts';
import { codeOf, connectionTrouble, failed, own } from './trouble.ts';

export const LARGEST_BODY = 5 * 1024 * 1024;

/** Five megabytes in pieces of some fifty bytes. Who sends smaller ones for long wants to keep us busy. */
const MOST_PIECES = 100_000;
const PIECES_A_TURN = 1_000;

export interface Body {
  readonly kind: 'body';
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly cut: boolean;
}

/** Gathers a body, decoding as it comes, and stops at the bound: what a few bytes can unfold to is never made. */
export class BodyReader {
  private readonly pieces = new Pieces();
  private wire = 0;
  private count = 0;
  private done = false;
  private release: (() => void) | undefined;
  /** It is we who let the server wait. */
  waitsForSeat = false;

  constructor(
    private readonly large: LargeBodies,
    private readonly things: OpenThings,
  ) {
    things.add({ destroy: () => this.close() });
  }

  read(source: Readable, coding: Exclude<Coding, { kind: 'unknown' }>, isComplete: () => boolean): Promise<Body | Trouble> {
    return new Promise((resolve) => {
      const finish = (result: Body | Trouble): void => {
        if (this.done) return;
        this.close();
        resolve(result);
      };
      const take = (from: Readable) => (chunk: Buffer) => {
        if (this.keep(chunk)) finish(this.body(true));
        else if (this.pieces.length > SMALL_BODY && this.release === undefined && !this.waitsForSeat) void this.waitForSeat(from, finish);
      };
      const decoder = coding.kind === 'plain' ? undefined : this.decode(source, coding, take, finish);
      if (decoder === undefined) source.on('data', take(source));
      source.on('data', (chunk: Buffer) => {
        this.wire += chunk.length;
        if (this.wire > LARGEST_BODY) finish(this.body(true));
        else if (++this.count > MOST_PIECES) finish(failed('body', 'the answer comes in more pieces than can be taken'));
        else if (this.count % PIECES_A_TURN === 0) this.breathe(source);
      });
      source.once('end', () => {
        if (!isComplete()) finish(INCOMPLETE);
        else if (decoder === undefined || this.wire === 0) finish(this.body(false));
      });
      // It may have broken off in the same breath as its head.
      if (source.destroyed) {
        finish(source.errored === null ? INCOMPLETE : brokenOff(source.errored));
        return;
      }
      source.on('error', (error: unknown) => finish(brokenOff(error)));
      source.once('close', () => {
        if (!isComplete()) finish(INCOMPLETE);
      });
    });
  }

  private decode(
    source: Readable,
    coding: Extract<Coding, { kind: 'coded' }>,
    take: (from: Readable) => (chunk: Buffer) => void,
    finish: (result: Body | Trouble) => void,
  ): true {
    let decoder: ReturnType<typeof coding.decoder> | undefined;
    const start = (first: Buffer): NonNullable<typeof decoder> => {
      decoder = this.things.add(coding.decoder(first));
      decoder.on('data', take(decoder));
      decoder.once('end', () => finish(this.body(false)));
      decoder.on('error', (error: unknown) => finish(undecodable(error, coding.name)));
      return decoder;
    };
    source.on('data', (chunk: Buffer) => {
      if (this.done) return;
      const into = decoder ?? start(chunk);
      if (into.write(chunk)) return;
      source.pause();
      into.once('drain', () => source.resume());
    });
    source.once('end', () => decoder?.end());
    return true;
  }

  /** True when the bound is reached. */
  private keep(chunk: Buffer): boolean {
    if (this.done) return false;
    const room = LARGEST_BODY - this.pieces.length;
    this.pieces.add(chunk.length <= room ? chunk : chunk.subarray(0, room));
    return chunk.length > room;
  }

  /** Thousands of pieces may lie in one packet: others get their turn in between. */
  private breathe(source: Readable): void {
    source.pause();
    setImmediate(() => {
      if (!this.done && !this.waitsForSeat) source.resume();
    });
  }

  private async waitForSeat(from: Readable, finish: (result: Trouble) => void): Promise<void> {
    this.waitsForSeat = true;
    from.pause();
    const seat = await this.large.take(() => !this.done);
    if (seat === null) {
      finish(own('too many large pages at once'));
      return;
    }
    this.release = seat;
    this.waitsForSeat = false;
    if (!this.done) from.resume();
  }

  private body(cut: boolean): Body {
    return { kind: 'body', bytes: this.pieces.bytes(), size: this.wire, cut };
  }

  private close(): void {
    this.done = true;
    this.pieces.clear();
    this.release?.();
  }
}

const INCOMPLETE = failed('body', 'the answer ended before its Content-Length or its last chunk');

const brokenOff = (error: unknown): Trouble => {
  const code = codeOf(error);
  return code === 'ECONNRESET' || code === 'ERR_HTTP2_STREAM_ERROR' ? INCOMPLETE : connectionTrouble(error);
};

const undecodable = (error: unknown, name: string): Trouble =>
  codeOf(error) === 'Z_BUF_ERROR'
    ? failed('body', `the compressed answer (${name}) ends too early`)
    : failed('body', `the answer cannot be decompressed (${name})`);
