import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const file = join(import.meta.dirname, 'durations.json');
const nameOf = (path) => relative(root, path).replaceAll('\\', '/');

/** Committed, because a fresh clone has no cache; only the order and the rough size of the durations matter. */
const seconds = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};

/** How long a test file took when it was measured. */
export const secondsOf = (path) => seconds[nameOf(path)] ?? Infinity;

/** `npm test -- --report` writes the durations anew. */
export function recordDurations(measured) {
  const all = Object.entries({
    ...seconds,
    ...Object.fromEntries(measured.map(({ path, wall }) => [nameOf(path), Math.round(wall * 10) / 10])),
  });
  const existing = all.filter(([name]) => existsSync(join(root, name))).toSorted(([, one], [, other]) => other - one);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(existing), null, 2)}\n`);
}
