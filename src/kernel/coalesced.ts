export interface Coalesced<T> {
  (): Promise<T>;
  /** The next call reads again. */
  forget(): void;
}

/** Concurrent callers share one call, and so do callers within `keptMs` after it; a failure is not kept. */
export function coalesced<T>(read: () => Promise<T>, keptMs = 0): Coalesced<T> {
  let shared: Promise<T> | undefined;
  const start = (): Promise<T> => {
    const reading = read();
    const end = (): void => {
      if (shared === reading) shared = undefined;
    };
    reading.then(() => (keptMs === 0 ? end() : setTimeout(end, keptMs).unref()), end);
    return reading;
  };
  const forget = (): void => {
    shared = undefined;
  };
  return Object.assign(() => (shared ??= start()), { forget });
}
