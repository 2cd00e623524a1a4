import { performance } from 'node:perf_hooks';
import { pause } from '../kernel/abortable.ts';
import { loopUtilization } from '../kernel/loop-utilization.ts';

/** The time source; a simulation brings its own. */
export interface CheckerTime {
  /** Milliseconds of a monotonic clock. */
  readonly monotonicNow: () => number;
  /** The share of the time since the last call that the event loop had work, from 0 to 1. */
  readonly utilization: () => number;
  /** Returns a function that cancels. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
  /** Ends early, without an error, when aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The loop runs at least this often, to notice a suspended process or a stepped clock. */
  readonly maxWaitMs: number;
  /** Between two attempts to take free shards. */
  readonly shardsMs: number;
  /** The same while it holds every shard and is the only checker. */
  readonly settledMs: number;
}

export const realTime: CheckerTime = {
  monotonicNow: () => performance.now(),
  utilization: loopUtilization(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds).unref();
    return () => {
      clearTimeout(timer);
    };
  },
  sleep: pause,
  maxWaitMs: 1_000,
  shardsMs: 1_000,
  settledMs: 3_000,
};
