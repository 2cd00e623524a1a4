import { secondsOf } from './durations.mjs';

/** Starts the longest test files first, so that no worker is left with a long one at the end; one without a duration is new and starts first. */
export default class LongestFirstSequencer {
  sort(tests) {
    return [...tests].sort((one, other) => secondsOf(other.path) - secondsOf(one.path) || (one.path < other.path ? -1 : 1));
  }

  /** For `--shard`: the same share of long and short files for each. */
  shard(tests, { shardIndex, shardCount }) {
    return this.sort(tests).filter((_, index) => index % shardCount === shardIndex - 1);
  }

  /** For `--onlyFailures`, which needs a cache of results; there is none. */
  allFailedTests() {
    return [];
  }

  cacheResults() {}
}
