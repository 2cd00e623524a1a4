import { setFlagsFromString } from 'node:v8';
import { loopUtilization } from '../kernel/loop-utilization.ts';

/** V8 collects the old generation once it has grown by so many percent of what was in use. */
const SPARING = 25;
/** Half as many collections, or fewer, for more memory. */
const GENEROUS = 100;
/** Above this utilization of the event loop processor time is worth more than memory. */
const BUSY = 0.6;
const MEASURE_MS = 5_000;

const heapGrowth = (utilization: number): number => (utilization > BUSY ? GENEROUS : SPARING);

/** Lets the heap grow as far as the process is busy (docs/performance.md, Memory). */
export function adaptHeapGrowth(
  setPercent: (percent: number) => void = (percent) => {
    setFlagsFromString(`--heap-growing-percent=${String(percent)}`);
  },
  measureMs = MEASURE_MS,
): NodeJS.Timeout {
  const utilization = loopUtilization();
  setPercent(SPARING);
  return setInterval(() => {
    setPercent(heapGrowth(utilization()));
  }, measureMs).unref();
}
