/** Tolerance for what else the run itself does at the same time. */
const BUSY_FACTOR = 10;
/** Of the machine, as measured at the start of the run (`.ci/jest/slowness.mjs`). */
const SLOWNESS = Number(process.env['TEST_SLOWNESS'] ?? 1);
/** A look is often a request, and many files wait at once: rarer looks leave the processor to what they wait for. */
const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 100;
/** Below Jest's timeout, so that the message names the condition. */
const LONGEST_MS = 270_000;

/** Waits for a condition that holds within `quietMs` on an idle machine. Ends soon after it holds; only a failure takes the whole deadline. */
export async function until(condition: () => Promise<boolean>, quietMs: number, what = 'the condition'): Promise<void> {
  const deadlineMs = Math.min(quietMs * BUSY_FACTOR * SLOWNESS, LONGEST_MS);
  const start = performance.now();
  while (!(await condition())) {
    const elapsedMs = performance.now() - start;
    if (elapsedMs > deadlineMs) throw new Error(`${what} did not hold within ${deadlineMs.toFixed(0)} ms`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(SHORTEST_PAUSE_MS + elapsedMs / 20, LONGEST_PAUSE_MS)));
  }
}
