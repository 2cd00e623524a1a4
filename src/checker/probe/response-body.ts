import type { Readable } from 'node:stream';
import type { ConcurrencyLimit, WorkSource } from '../../kernel/concurrency-limit.ts';
import { inconclusive, type ExchangeFailure } from './outcome.ts';
import type { OpenResources } from './connections.ts';
import type { Coding } from './content-coding.ts';
import { connectionFailure, errorCodeOf, failed } from './failure-reasons.ts';

export const MAX_BODY = 5 * 1024 * 1024;
/** A larger body needs a permit of the concurrency limit, which bounds the memory that large bodies take together. */
const SMALL_BODY = 512 * 1024;
/** Five megabytes in chunks of about fifty bytes; a long series of smaller chunks is an attack on the CPU. */
const MAX_CHUNKS = 100_000;
const CHUNKS_PER_TICK = 1_000;

export const TOO_MANY_LARGE_BODIES = inconclusive('too many large pages at once');

export interface ResponseBody {
  readonly kind: 'body';
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly cut: boolean;
}

type ReadResult = ResponseBody | ExchangeFailure;

/** Collects a body, decoding it as it arrives, and stops at the limit, so that a decompression bomb is never expanded. */
export class BodyReader {
  private readonly buffer = new BodyBuffer();
  private wireBytes = 0;
  private chunks = 0;
  private isDone = false;
  private release: (() => void) | undefined;
  /** Reading is suspended on this side, so a timeout now is not the fault of the server. */
  isWaitingForPermit = false;

  constructor(
    private readonly largeBodies: ConcurrencyLimit,
    private readonly resources: OpenResources,
    private readonly source?: WorkSource,
  ) {
    resources.add({ destroy: () => this.close() });
  }

  read(source: Readable, coding: Exclude<Coding, { kind: 'unknown' }>, isComplete: () => boolean): Promise<ReadResult> {
    return new Promise((resolve) => {
      const finish = (result: ReadResult): void => {
        if (this.isDone) return;
        this.close();
        resolve(result);
      };
      const append = (from: Readable) => (chunk: Buffer) => {
        if (this.append(chunk)) finish(this.body(true));
        else if (this.buffer.length > SMALL_BODY && this.release === undefined && !this.isWaitingForPermit)
          void this.waitForPermit(from, finish);
      };
      const isCoded = coding.kind === 'coded';
      if (isCoded) this.decode(source, coding, append, finish);
      else source.on('data', append(source));
      source.on('data', (chunk: Buffer) => {
        this.wireBytes += chunk.length;
        if (this.wireBytes > MAX_BODY) finish(this.body(true));
        else if (++this.chunks > MAX_CHUNKS) finish(failed('body', `the answer comes in more than ${String(MAX_CHUNKS)} chunks`));
        else if (this.chunks % CHUNKS_PER_TICK === 0) this.yieldToOthers(source);
      });
      source.once('end', () => {
        if (!isComplete()) finish(INCOMPLETE);
        else if (!isCoded || this.wireBytes === 0) finish(this.body(false));
      });
      // The connection may have been closed in the same tick in which the head arrived.
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
    append: (from: Readable) => (chunk: Buffer) => void,
    finish: (result: ReadResult) => void,
  ): void {
    let decoder: ReturnType<typeof coding.decoder> | undefined;
    const start = (first: Buffer): NonNullable<typeof decoder> => {
      decoder = this.resources.add(coding.decoder(first));
      decoder.on('data', append(decoder));
      decoder.once('end', () => finish(this.body(false)));
      decoder.on('error', (error: unknown) => finish(undecodable(error, coding.name)));
      return decoder;
    };
    source.on('data', (chunk: Buffer) => {
      if (this.isDone) return;
      const into = decoder ?? start(chunk);
      if (into.write(chunk)) return;
      source.pause();
      into.once('drain', () => source.resume());
    });
    source.once('end', () => decoder?.end());
  }

  /** Returns whether the limit is exceeded. */
  private append(chunk: Buffer): boolean {
    if (this.isDone) return false;
    const room = MAX_BODY - this.buffer.length;
    this.buffer.append(chunk.length <= room ? chunk : chunk.subarray(0, room));
    return chunk.length > room;
  }

  /** One packet may hold thousands of chunks, which would block the event loop. */
  private yieldToOthers(source: Readable): void {
    source.pause();
    setImmediate(() => {
      if (!this.isDone && !this.isWaitingForPermit) source.resume();
    });
  }

  private async waitForPermit(from: Readable, finish: (result: ExchangeFailure) => void): Promise<void> {
    this.isWaitingForPermit = true;
    from.pause();
    try {
      this.release = await this.largeBodies.acquire(this.source);
    } catch {
      finish(TOO_MANY_LARGE_BODIES);
      return;
    }
    this.isWaitingForPermit = false;
    if (this.isDone) this.release();
    else from.resume();
  }

  private body(cut: boolean): ResponseBody {
    return { kind: 'body', bytes: this.buffer.bytes(), size: this.wireBytes, cut };
  }

  private close(): void {
    this.isDone = true;
    this.buffer.clear();
    this.release?.();
  }
}

const INCOMPLETE = failed('body', 'the answer ended before its Content-Length or its last chunk');

const brokenOff = (error: unknown): ExchangeFailure => {
  const code = errorCodeOf(error);
  return code === 'ECONNRESET' || code === 'ERR_HTTP2_STREAM_ERROR' ? INCOMPLETE : connectionFailure(error);
};

const undecodable = (error: unknown, name: string): ExchangeFailure =>
  errorCodeOf(error) === 'Z_BUF_ERROR'
    ? failed('body', `the compressed answer (${name}) ends too early`)
    : failed('body', `the answer cannot be decompressed (${name})`);

/** The first chunks are kept as they came, which is all chunks of nearly every body. */
const UNCOPIED_CHUNKS = 64;
const SMALL_CHUNK = 4 * 1024;
const BLOCK = 64 * 1024;

/** The bytes of a body as they arrive. Small chunks are copied into blocks: a Buffer object for each would take a hundred times its size. */
export class BodyBuffer {
  private readonly parts: Buffer[] = [];
  private block: Buffer | undefined;
  private filled = 0;
  length = 0;

  append(chunk: Buffer): void {
    this.length += chunk.length;
    if (this.parts.length < UNCOPIED_CHUNKS || chunk.length >= SMALL_CHUNK) {
      this.flushBlock();
      this.parts.push(chunk);
      return;
    }
    if (this.filled + chunk.length > BLOCK) this.flushBlock();
    this.block ??= Buffer.allocUnsafeSlow(BLOCK);
    chunk.copy(this.block, this.filled);
    this.filled += chunk.length;
  }

  bytes(): Buffer {
    this.flushBlock();
    const [only] = this.parts;
    return this.parts.length === 1 && only !== undefined ? only : Buffer.concat(this.parts, this.length);
  }

  clear(): void {
    this.parts.length = 0;
    this.block = undefined;
    this.filled = 0;
  }

  /** Copies, so that a few bytes do not keep the whole block alive. */
  private flushBlock(): void {
    if (this.block === undefined || this.filled === 0) return;
    this.parts.push(Buffer.from(this.block.subarray(0, this.filled)));
    this.filled = 0;
  }
}
