/** Milliseconds since the epoch; a port, so that tests and simulations bring their own time. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
