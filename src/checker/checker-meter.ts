/** A bounded queue, such as that of a concurrency limit. */
export interface QueueGauge {
  readonly queued: number;
  /** Refused since the start, because the queue was full. */
  readonly refused: number;
}

export type RunOutcome = 'ok' | 'error' | 'timeout' | 'inconclusive' | 'lost';

export interface CheckerStanding {
  readonly shards: number;
  readonly planned: number;
  readonly running: number;
  readonly checks: number;
  /** What waits where, each with a bound, and how much was put off at it. */
  readonly queues: Readonly<Record<string, QueueGauge>>;
  /** Since when the first of the runs waits that wait for their turn to fetch. */
  readonly queuedMs: number;
}

/** What a checker tells those who run it. */
export interface CheckerMeter {
  /** Asked whenever somebody looks. */
  standing(look: () => CheckerStanding): void;
  /** A turn began, so long after it was due. */
  began(kind: string, lateMs: number): void;
  ran(outcome: RunOutcome): void;
  ownTrouble(): void;
}

/** Injection token. */
export const CHECKER_METER = Symbol('CheckerMeter');
