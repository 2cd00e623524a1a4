import type { ServerResponse } from 'node:http';

/** Aborted when the client goes away before its answer is over; at once when it has gone already, and nothing will tell of it any more. */
export function goneOf({ raw }: { readonly raw: ServerResponse }): AbortSignal {
  if (raw.closed) return AbortSignal.abort();
  const gone = new AbortController();
  raw.once('close', () => {
    gone.abort();
  });
  return gone.signal;
}
