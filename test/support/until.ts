/** Waits for a condition with a deadline; answers how long it took, in milliseconds. */
export async function until(condition: () => Promise<boolean>, milliseconds: number, what = 'the condition'): Promise<number> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > milliseconds) throw new Error(`${what} did not hold within ${String(milliseconds)} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return performance.now() - start;
}
