import { setImmediate as yieldToOthers, setTimeout as sleep } from 'node:timers/promises';

interface FillRate {
  /** Events that are read and applied at a time. */
  readonly page: number;
  /** Pages that the database prepares at the same time. */
  readonly pagesAhead: number;
  /** Counter rows in one statement: serialising more than 2,000 would block the event loop for too long. */
  readonly rowsPerStatement: number;
  /** Text of rows that is serialised and copied at a time. */
  readonly copyCharacters?: number;
  /** A transaction takes no further page after this time, so that a pause takes effect soon. */
  readonly batchMs?: number;
  /** Between 0 and 1, of the time of the event loop. */
  readonly share: number;
}

/** A rollup writes each of its rows once a batch: a million events over 24,000 rows took a third of their time for rows when a batch took a second. */
const BATCH_MS = 3_000;
const COPY_CHARACTERS = 256 * 1024;
/** After a statement that waited for a lock, its transaction should not wait much longer. */
const MAX_REST_MS = 250;

/** Limits the share of the event loop that a fill takes, so that requests are answered beside it (bench/team-rebuild). */
export class FillRateLimit {
  readonly page: number;
  readonly pagesAhead: number;
  readonly rowsPerStatement: number;
  readonly copyCharacters: number;
  readonly batchMs: number;
  private readonly share: number;
  private startedAt = performance.now();

  constructor({ page, pagesAhead, rowsPerStatement, copyCharacters = COPY_CHARACTERS, batchMs = BATCH_MS, share }: FillRate) {
    this.page = page;
    this.pagesAhead = pagesAhead;
    this.rowsPerStatement = rowsPerStatement;
    this.copyCharacters = copyCharacters;
    this.batchMs = batchMs;
    this.share = share;
  }

  /** Call when a page has arrived: waiting for the database does not count. */
  startPage(): void {
    this.startedAt = performance.now();
  }

  /** Call after a page was applied. */
  throttle(): Promise<void> {
    return this.rest(performance.now() - this.startedAt);
  }

  /** Call after every piece of a write, whose time is that of the database, too: what it spends there is missing to requests. */
  async rest(workedMs: number): Promise<void> {
    if (this.share >= 1) await yieldToOthers();
    else await sleep(Math.min(Math.max(1, workedMs * (1 / this.share - 1)), MAX_REST_MS));
  }
}

/** For a first fill. A page is small enough to be garbage before the collector promotes it. */
export const unthrottled = (): FillRateLimit => new FillRateLimit({ page: 1_000, pagesAhead: 2, rowsPerStatement: 2_000, share: 1 });
/** For a rebuild beside tables in use: a quarter of the time, in small steps. */
export const throttled = (): FillRateLimit =>
  new FillRateLimit({ page: 25, pagesAhead: 1, rowsPerStatement: 100, copyCharacters: 16 * 1024, share: 0.25 });
