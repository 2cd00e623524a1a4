import { useEffect, useRef, useState } from 'preact/hooks';
import { isSignedOut } from './service.ts';
import { serverNow } from '../time/server-clock.ts';

export interface Loaded<Value> {
  /** The last one stays while the next is read, so that nothing jumps. */
  readonly value: Value | undefined;
  /** Why it could not be read, or not read again. */
  readonly error: unknown;
  /** When the value was read. */
  readonly readAt: number;
  /** The value is of another key: what is shown is not yet what was asked for. */
  readonly isStale: boolean;
  readonly reload: () => void;
}

interface Held<Value> {
  readonly key: string;
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly readAt: number;
}

/** Reads what a page shows, again whenever its key or its round changes, or the person has signed in again. `key`: what is shown; `round`: counts the reasons to read it once more. */
export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>, round = 0): Loaded<Value> {
  const [held, setHeld] = useState<Held<Value>>({ key: '', value: undefined, error: undefined, readAt: 0 });
  const [retries, setRetries] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const signedOut = isSignedOut.value;
  useEffect(() => {
    if (signedOut) return undefined;
    const aborter = new AbortController();
    latest.current(aborter.signal).then(
      (value) => !aborter.signal.aborted && setHeld({ key, value, error: undefined, readAt: serverNow() }),
      (error: unknown) =>
        !aborter.signal.aborted &&
        // An older value of the same thing is better than none; one of another thing is wrong.
        setHeld((before) => (before.key === key ? { ...before, error } : { key, value: undefined, error, readAt: 0 })),
    );
    return () => aborter.abort();
  }, [key, round, retries, signedOut]);
  return {
    value: held.value,
    error: held.error,
    readAt: held.readAt,
    isStale: held.key !== key,
    reload: () => setRetries((before) => before + 1),
  };
}
