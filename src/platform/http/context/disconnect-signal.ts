import type { ServerResponse } from 'node:http';

/** Aborts when the client disconnects before its answer is complete; at once when it has disconnected already. */
export function disconnectSignal({ raw }: { readonly raw: ServerResponse }): AbortSignal {
  if (raw.closed) return AbortSignal.abort();
  const disconnected = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}

/** Calls back when the answer is complete or its client has disconnected; at once when that was before. */
export function whenClosed({ raw }: { readonly raw: ServerResponse }, listener: () => void): void {
  if (raw.closed) listener();
  else raw.once('close', listener);
}
