/** Milliseconds since the epoch; a port, so that tests and simulations supply their own time. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Monotonic clock for durations: it is not affected by changes of the machine's clock. */
export const steadyClock: Clock = { now: () => performance.now() };
