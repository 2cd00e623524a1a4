import { readFileSync, readlinkSync } from 'node:fs';

/** Path of the scheduler statistics of the current thread; null on systems without /proc. */
export function threadStatPath(): string | null {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/schedstat`;
  } catch {
    return null;
  }
}

/** CPU time of a thread in milliseconds; null if unknown. */
export function cpuTimeMs(path: string | null): number | null {
  if (path === null) return null;
  try {
    const nanoseconds = Number(readFileSync(path, 'utf8').split(' ')[0]);
    return nanoseconds > 0 ? nanoseconds / 1e6 : null;
  } catch {
    return null;
  }
}
