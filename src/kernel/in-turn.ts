import { DomainError } from './errors.ts';

/** So many wait already that an answer would come too late for whoever asked. */
export class TooManyWait extends DomainError {
  readonly code = 'TOO_MANY_WAIT';

  constructor() {
    super('Too many wait for the same. Please try again in a moment.');
  }
}

/** Does work as it is given, but never more than `most` at once; up to `queue` wait in the order in which they came, and more are refused. */
export function inTurn(most: number, queue = Infinity): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most && waiting.length >= queue) throw new TooManyWait();
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
