/** What a machine needs more that does other things too. */
const BUSY = 4;

/** Waits for a condition that holds within `quietMs` on a machine with nothing else to do; a busy one gets its time. */
export async function until(condition: () => Promise<boolean>, quietMs: number, what = 'the condition'): Promise<void> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > quietMs * BUSY) throw new Error(`${what} did not hold within ${String(quietMs * BUSY)} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
