import type pg from 'pg';
import { pause } from '../../kernel/abortable.ts';
import type { Wake } from '../postgres/wake.ts';
import { readTail } from './mirror-table.ts';

/** The queries to a store that show whether the log follows it. */
interface WatchedSource {
  idAt(position: string): Promise<string | null>;
  /** The newest event's position, null while there is none. */
  headPosition(): Promise<string | null>;
}

export interface MirrorWatchOptions {
  readonly source: WatchedSource;
  readonly pool: pg.Pool;
  readonly wake: Wake;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 1_000;
const RECHECK_MS = 100;

/**
 * Measures in this process how far the log lags behind the store, since the mirror may run in another process or in none. The backpressure gate refuses
 * writes by it: they would stay invisible, or go to a store that the log does not belong to.
 */
export class MirrorWatch {
  private waitingSince: number | null = null;
  private isMismatch = false;
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: MirrorWatchOptions) {}

  /** How long the oldest known event has waited to be mirrored; infinite when log and store hold different histories. */
  get lagSeconds(): number {
    if (this.isMismatch) return Infinity;
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
    const { intervalMs = INTERVAL_MS, wake } = this.options;
    const { signal } = this.closing;
    const bell = wake.bell('log');
    let awaited: string | null = null;
    while (!signal.aborted) {
      // During an outage writes fail by themselves, and the last known lag still holds.
      const next: string | null = await this.check(awaited).catch(() => awaited);
      if (next === null) await pause(intervalMs, signal);
      else await bell.wait(RECHECK_MS, signal);
      awaited = next;
    }
    bell.close();
  }

  /** The position that the log still has to reach, null when it has caught up with the head seen last. */
  private async check(awaited: string | null): Promise<string | null> {
    const { source, pool } = this.options;
    const tail = await readTail(pool);
    const reached = tail.position ?? '';
    if (awaited !== null) {
      if (reached < awaited) return awaited;
      this.waitingSince = null;
      return null;
    }
    const idInStore = tail.position === null ? null : await source.idAt(tail.position);
    this.isMismatch = idInStore !== null && idInStore !== tail.id;
    if (idInStore !== tail.id) {
      // The store is still starting, or shorter than the log: the growing lag distinguishes the two.
      this.waitingSince ??= performance.now();
      return null;
    }
    const head = (await source.headPosition()) ?? '';
    this.waitingSince = head > reached ? performance.now() : null;
    return head > reached ? head : null;
  }
}
