function forbidden(what: string): never {
  throw new Error(`a fold asked for ${what}: what it needs has to stand in the event`);
}

/** Runs the work in a world that has neither a clock nor chance, so that a fold that looks at either is found out. Synchronous work only. */
export function withoutTheWorld<T>(work: () => T): T {
  const { Date: realDate } = globalThis;
  const { random } = Math;
  const now = performance.now.bind(performance);
  globalThis.Date = new Proxy(realDate, {
    construct: (target, given) => (given.length === 0 ? forbidden('the time') : (Reflect.construct(target, given) as Date)),
    get: (target, name) => (name === 'now' ? () => forbidden('the time') : (Reflect.get(target, name) as unknown)),
  });
  Math.random = () => forbidden('a random number');
  performance.now = () => forbidden('the time');
  try {
    return work();
  } finally {
    globalThis.Date = realDate;
    Math.random = random;
    performance.now = now;
  }
}
