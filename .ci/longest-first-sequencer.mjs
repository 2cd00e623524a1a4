import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const file = join(import.meta.dirname, 'test-durations.json');
const nameOf = (path) => relative(root, path).replaceAll('\\', '/');

/**
 * Starts the longest test files first, so that no worker is left with a long one at the end. The durations are committed, because a fresh clone has no
 * cache; a file without one is new and starts first. `RECORD_DURATIONS=1 npm test` writes them anew; only their order matters.
 */
export default class LongestFirstSequencer {
  #seconds = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};

  sort(tests) {
    const secondsOf = ({ path }) => this.#seconds[nameOf(path)] ?? Infinity;
    return [...tests].sort((one, other) => secondsOf(other) - secondsOf(one) || (one.path < other.path ? -1 : 1));
  }

  /** For `--shard`: the same share of long and short files for each. */
  shard(tests, { shardIndex, shardCount }) {
    return this.sort(tests).filter((_, index) => index % shardCount === shardIndex - 1);
  }

  /** For `--onlyFailures`, which needs a cache of results; there is none. */
  allFailedTests() {
    return [];
  }

  cacheResults(_tests, { testResults }) {
    if (process.env.RECORD_DURATIONS !== '1') return;
    for (const { testFilePath, perfStats } of testResults) this.#seconds[nameOf(testFilePath)] = Math.round(perfStats.runtime / 100) / 10;
    const existing = Object.entries(this.#seconds).filter(([name]) => existsSync(join(root, name)));
    const sorted = existing.toSorted(([, one], [, other]) => other - one);
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
}
