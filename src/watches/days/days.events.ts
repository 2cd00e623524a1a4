import type { EntriesOf } from '../../kernel/catalogue.ts';

export interface ClosedDay {
  readonly projectId: string;
  /** A UTC day, `2026-11-20`. */
  readonly day: string;
  readonly samples: number;
  /** The hash of the day's observations in their canonical form, in lower-case hex. */
  readonly sha256: string;
}

export interface DaysEvents {
  UptimeDayClosed: ClosedDay & {
    readonly upMs: number;
    readonly downMs: number;
    readonly timeoutMs: number;
    readonly unknownMs: number;
    /** The exact intervals of each state, packed, in base64. */
    readonly intervals: string;
  };
  ResponseTimesDayClosed: ClosedDay & {
    /** Means by 1000 seconds, packed, in base64; a bucket belongs to the day in which it starts. */
    readonly buckets: string;
    /** The day's distribution of the total time, packed, in base64. */
    readonly sketch: string;
  };
}

/** The books of a day, which are closed together. */
export interface DayBooks {
  readonly uptime: DaysEvents['UptimeDayClosed'];
  readonly responseTimes: DaysEvents['ResponseTimesDayClosed'];
}

export const daysEvents = { UptimeDayClosed: { version: 1 }, ResponseTimesDayClosed: { version: 1 } } satisfies EntriesOf<DaysEvents>;
