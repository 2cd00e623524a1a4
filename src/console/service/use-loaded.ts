import { useEffect, useRef, useState } from 'preact/hooks';
import { isSignedOut } from './service.ts';

export interface Loaded<Value> {
  /** The last one stays while the next is read, so that nothing jumps. */
  readonly value: Value | undefined;
  readonly error: unknown;
  /** The value is of another key: what is shown is not yet what was asked for. */
  readonly isStale: boolean;
  readonly reload: () => void;
}

interface Held<Value> {
  readonly key: string;
  readonly value: Value | undefined;
  readonly error: unknown;
}

/** Reads what a page shows, again whenever its key changes or the person has signed in again. */
export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> {
  const [held, setHeld] = useState<Held<Value>>({ key: '', value: undefined, error: undefined });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const signedOut = isSignedOut.value;
  useEffect(() => {
    if (signedOut) return undefined;
    const aborter = new AbortController();
    latest.current(aborter.signal).then(
      (value) => !aborter.signal.aborted && setHeld({ key, value, error: undefined }),
      (error: unknown) => !aborter.signal.aborted && setHeld((before) => ({ key, value: before.value, error })),
    );
    return () => aborter.abort();
  }, [key, round, signedOut]);
  return { value: held.value, error: held.error, isStale: held.key !== key, reload: () => setRound((before) => before + 1) };
}
