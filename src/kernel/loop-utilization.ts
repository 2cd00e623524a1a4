import { performance } from 'node:perf_hooks';

/** The function answers the share of the time since its last call that the event loop had work, from 0 to 1. */
export function loopUtilization(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
