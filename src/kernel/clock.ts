/** Milliseconds since the epoch; a port, so that tests and simulations bring their own time. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** For how long ago something was: it has no date, and it never steps when somebody sets the machine's clock. */
export const steadyClock: Clock = { now: () => performance.now() };
