export type RunOutcome = 'ok' | 'error' | 'timeout' | 'inconclusive' | 'leaseLost';

/** A bounded queue, such as that of a concurrency limit. */
export interface QueueGauge {
  readonly queued: number;
  /** Refused since the start, because the queue was full. */
  readonly refused: number;
}

export interface CheckerFigures {
  readonly shards: number;
  readonly planned: number;
  readonly running: number;
  readonly checks: number;
  readonly queues: Readonly<Record<string, QueueGauge>>;
  /** How long the oldest run has waited for a fetch permit, in milliseconds. */
  readonly queuedMs: number;
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
