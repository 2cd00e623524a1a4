import { AsyncLocalStorage } from 'node:async_hooks';

/** Set for the work under test only: drivers and timers beside it keep their clock. */
const inside = new AsyncLocalStorage<true>();

function refuse(what: string): void {
  if (inside.getStore() === true) throw new Error(`it asked for ${what}: use a value of the event instead`);
}

/** Runs work in which clock, randomness and network throw. */
export function withoutClockOrRandomness<T>(work: () => T): T {
  const uninstall = install();
  try {
    return inside.run(true, work);
  } finally {
    uninstall();
  }
}

/** The same for asynchronous work; `allow` runs what may use them, such as a query. */
export async function awaitWithoutClockOrRandomness<T>(work: (allow: <R>(job: () => R) => R) => Promise<T>): Promise<T> {
  const uninstall = install();
  try {
    return await inside.run(true, () => work((job) => inside.exit(job)));
  } finally {
    uninstall();
  }
}

function install(): () => void {
  const { Date: realDate, fetch } = globalThis;
  const { random } = Math;
  const now = performance.now.bind(performance);
  const randomUUID = globalThis.crypto.randomUUID.bind(globalThis.crypto);
  globalThis.Date = new Proxy(realDate, {
    construct: (target, given, made) => {
      if (given.length === 0) refuse('the time');
      // Casts: Reflect is untyped; each trap does what the original would do.
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
