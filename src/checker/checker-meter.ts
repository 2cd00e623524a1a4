import type { LaneFigures } from '../kernel/concurrency-limit.ts';

export type RunOutcome = 'ok' | 'error' | 'timeout' | 'inconclusive' | 'leaseLost' | 'skipped';

export interface CheckerFigures {
  readonly shards: number;
  readonly planned: number;
  readonly running: number;
  readonly checks: number;
  readonly queues: Readonly<Record<string, LaneFigures>>;
  /** The share of a limit that the account with the most work under way has, from 0 to 1. */
  readonly largestShares: Readonly<Record<string, number>>;
  /** Since the start, by kind of observation. */
  readonly flushFailures: Readonly<Record<string, number>>;
  /** Why the latest flush failed, by kind of observation; a kind whose latest flush succeeded is absent. */
  readonly failingFlushes: Readonly<Record<string, string>>;
  /** How far this machine's clock is ahead of the database's, in milliseconds; null while unknown. */
  readonly clockOffsetMs: number | null;
  /** Due work is held back, because this process or the read models cannot keep up. */
  readonly isOverloaded: boolean;
  /** Whether checks are suspended because the clock is off by too much. */
  readonly isClockWrong: boolean;
}

/** Port to the metrics. */
export interface CheckerMeter {
  /** `figures` is called at each scrape. */
  observe(figures: () => CheckerFigures): void;
  turnStarted(kind: string, lateMs: number): void;
  runEnded(outcome: RunOutcome): void;
  inconclusive(): void;
}

/** Injection token. */
export const CHECKER_METER = Symbol('CheckerMeter');
