import { setImmediate as yielding, setTimeout as sleep } from 'node:timers/promises';

interface Sizes {
  /** Events that are read, and folded, in one turn. */
  readonly page: number;
  /** Pages that the database prepares meanwhile: they may all come in the same turn. */
  readonly pagesAhead: number;
  /** Rows of counters that are spelt out, and written, in one statement. */
  readonly rowsAtOnce: number;
  /** So long a transaction over many pages takes in more: counters are summed up over many, and a stop or a pause is soon heeded. */
  readonly strideMs?: number;
  /** Of the time, between 0 and 1. */
  readonly share: number;
}

const STRIDE_MS = 1_000;

/**
 * How much of the time long work may take for itself. A first fill takes all, but for a turn of everybody else between two pages. What is filled again
 * has readers already, who have theirs: it takes a quarter, in small steps, so that requests go on beside it (bench/team-rebuild).
 */
export class FillRateLimit {
  readonly page: number;
  readonly pagesAhead: number;
  readonly rowsAtOnce: number;
  readonly strideMs: number;
  private readonly share: number;
  private began = performance.now();

  constructor({ page, pagesAhead, rowsAtOnce, strideMs = STRIDE_MS, share }: Sizes) {
    this.page = page;
    this.pagesAhead = pagesAhead;
    this.rowsAtOnce = rowsAtOnce;
    this.strideMs = strideMs;
    this.share = share;
  }

  /** A page is there: what took so long until then was the database's work. */
  begin(): void {
    this.began = performance.now();
  }

  async breathe(): Promise<void> {
    if (this.share >= 1) await yielding();
    else await sleep(Math.max(1, (performance.now() - this.began) * (1 / this.share - 1)));
  }
}

/** A page is small enough to be garbage before the collector has to carry it over. */
export const unthrottled = (): FillRateLimit => new FillRateLimit({ page: 1_000, pagesAhead: 4, rowsAtOnce: 2_000, share: 1 });
export const throttled = (): FillRateLimit => new FillRateLimit({ page: 25, pagesAhead: 1, rowsAtOnce: 100, share: 0.25 });
