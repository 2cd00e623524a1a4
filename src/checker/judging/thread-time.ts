import { readFileSync, readlinkSync } from 'node:fs';

/** Where this thread's account stands, for whoever watches it; null where the system keeps none that others can read. */
export function ownThread(): string | null {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/schedstat`;
  } catch {
    return null;
  }
}

/** Milliseconds that a thread has computed so far; null where nobody can tell. */
export function computedMs(thread: string | null): number | null {
  if (thread === null) return null;
  try {
    const nanoseconds = Number(readFileSync(thread, 'utf8').split(' ')[0]);
    return nanoseconds > 0 ? nanoseconds / 1e6 : null;
  } catch {
    return null;
  }
}
