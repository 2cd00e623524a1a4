/** Tolerance for a busy or slower machine. */
const BUSY_FACTOR = 10;
/** Below Jest's timeout, so that the message names the condition. */
const LONGEST_MS = 270_000;

/** Waits for a condition that holds within `quietMs` on an idle machine. Ends as soon as it holds; only a failure takes the whole deadline. */
export async function until(condition: () => Promise<boolean>, quietMs: number, what = 'the condition'): Promise<void> {
  const deadlineMs = Math.min(quietMs * BUSY_FACTOR, LONGEST_MS);
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > deadlineMs) throw new Error(`${what} did not hold within ${String(deadlineMs)} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
