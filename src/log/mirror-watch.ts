import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Wake } from '../persistence/wake.ts';
import { readTail } from './mirror-table.ts';

/** What is asked of a store to know whether the log follows it. */
export interface WatchedSource {
  idAt(position: string): Promise<string | null>;
  /** The newest event's position, null while there is none. */
  headPosition(): Promise<string | null>;
}

export interface MirrorWatchOptions {
  readonly source: WatchedSource;
  readonly pool: pg.Pool;
  readonly wake: Wake;
  readonly everyMs?: number;
}

const EVERY_MS = 1_000;
const LOOK_AGAIN_MS = 100;

/**
 * Whether the log follows the store, seen by this instance itself: the mirror may run in another process, or in none. Writes that would not
 * show, or that would go to a store that the log does not belong to, are refused by it.
 */
export class MirrorWatch {
  private waitingSince: number | null = null;
  private foreign = false;
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: MirrorWatchOptions) {}

  /** Since when the oldest event that we know of has been waiting to be mirrored, in seconds; infinite when log and store do not belong together. */
  get seconds(): number {
    if (this.foreign) return Infinity;
    return this.waitingSince === null ? 0 : (performance.now() - this.waitingSince) / 1000;
  }

  start(): void {
    this.running ??= this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { everyMs = EVERY_MS, wake } = this.options;
    const { signal } = this.closing;
    const bell = wake.bell('log');
    let awaited: string | null = null;
    while (!signal.aborted) {
      // Store or database are away: a write meets that itself, and what was known of the lag still holds.
      const next: string | null = await this.look(awaited).catch(() => awaited);
      if (next === null) await sleep(everyMs, undefined, { signal }).catch(() => undefined);
      else await bell.wait(LOOK_AGAIN_MS, signal);
      awaited = next;
    }
    bell.close();
  }

  /** The position that the log still has to reach, null when it has all that the store had a moment ago. */
  private async look(awaited: string | null): Promise<string | null> {
    const { source, pool } = this.options;
    const tail = await readTail(pool);
    const reached = tail.position ?? '';
    if (awaited !== null) {
      if (reached < awaited) return awaited;
      this.waitingSince = null;
      return null;
    }
    const there = tail.position === null ? null : await source.idAt(tail.position);
    this.foreign = there !== null && there !== tail.id;
    if (there !== tail.id) {
      // Not done starting, or shorter than the log: which of the two, time tells.
      this.waitingSince ??= performance.now();
      return null;
    }
    const head = (await source.headPosition()) ?? '';
    this.waitingSince = head > reached ? performance.now() : null;
    return head > reached ? head : null;
  }
}
