import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const file = join(import.meta.dirname, 'durations.json');
const nameOf = (path) => relative(root, path).replaceAll('\\', '/');

/**
 * How long each test file takes, with the bounds of every day and with those before a release. Committed, because a fresh clone has no cache; only the order
 * and the rough size matter.
 */
const durations = JSON.parse(readFileSync(file, 'utf8'));

/** With the bounds of this run. */
export const secondsOf = (path) => (process.env.TEST_TIER === 'all' ? releaseSecondsOf(path) : (durations.daily[nameOf(path)] ?? Infinity));
export const releaseSecondsOf = (path) => durations.release[nameOf(path)] ?? durations.daily[nameOf(path)] ?? Infinity;

/** `npm test -- --report` writes the durations anew. */
export function recordDurations(measured, isRelease) {
  const tier = isRelease ? 'release' : 'daily';
  for (const { path, wall } of measured) durations[tier][nameOf(path)] = Math.round(wall * 10) / 10;
  for (const [name, seconds] of Object.entries(durations)) {
    const existing = Object.entries(seconds).filter(([path]) => existsSync(join(root, path)));
    durations[name] = Object.fromEntries(existing.toSorted(([, one], [, other]) => other - one));
  }
  writeFileSync(file, `${JSON.stringify(durations, null, 2)}\n`);
}
