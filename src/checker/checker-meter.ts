export type RunOutcome = 'ok' | 'error' | 'timeout' | 'own' | 'lost';

export interface CheckerStanding {
  readonly shards: number;
  readonly planned: number;
  readonly running: number;
  readonly checks: number;
  /** Runs that wait for their turn to fetch, and since when the first of them does. */
  readonly queued: number;
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
