import { AsyncLocalStorage } from 'node:async_hooks';

/** Only what runs in here is refused: beside it, drivers and timers go on. */
const inside = new AsyncLocalStorage<true>();

function refuse(what: string): void {
  if (inside.getStore() === true) throw new Error(`it asked for ${what}: what it needs has to stand in the event`);
}

/** Runs the work in a world that has neither a clock nor chance, so that a fold that looks at either is found out. */
export function withoutClockOrRandomness<T>(work: () => T): T {
  const restore = takeAway();
  try {
    return inside.run(true, work);
  } finally {
    restore();
  }
}

/** The same for work that waits; `leave` runs what may have both, such as a query. */
export async function awaitWithoutClockOrRandomness<T>(work: (leave: <R>(job: () => R) => R) => Promise<T>): Promise<T> {
  const restore = takeAway();
  try {
    return await inside.run(true, () => work((job) => inside.exit(job)));
  } finally {
    restore();
  }
}

function takeAway(): () => void {
  const { Date: realDate, fetch } = globalThis;
  const { random } = Math;
  const now = performance.now.bind(performance);
  const randomUUID = globalThis.crypto.randomUUID.bind(globalThis.crypto);
  globalThis.Date = new Proxy(realDate, {
    construct: (target, given, made) => {
      if (given.length === 0) refuse('the time');
      return Reflect.construct(target, given, made) as Date;
    },
    apply: (target, self, given) => {
      refuse('the time');
      return Reflect.apply(target, self, given) as string;
    },
    get: (target, name) => {
      if (name === 'now') refuse('the time');
      return Reflect.get(target, name) as unknown;
    },
  });
  Math.random = () => {
    refuse('a random number');
    return random();
  };
  performance.now = () => {
    refuse('the time');
    return now();
  };
  globalThis.crypto.randomUUID = () => {
    refuse('a random id');
    return randomUUID();
  };
  globalThis.fetch = (...given) => {
    refuse('the network');
    return fetch(...given);
  };
  return () => {
    globalThis.Date = realDate;
    Math.random = random;
    performance.now = now;
    globalThis.crypto.randomUUID = randomUUID;
    globalThis.fetch = fetch;
  };
}
