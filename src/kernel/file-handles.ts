import { readFileSync } from 'node:fs';

/** How many files and sockets this process may open; null when unlimited, or unknown on this system. */
export function fileHandleLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
