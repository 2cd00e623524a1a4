/** Does work as it is given, but never more than `most` at once; the rest waits in the order in which it came. */
export function inTurn(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Whoever comes next takes the place over, so that nobody slips in between.
      if (next === undefined) running--;
      else next();
    }
  };
}
