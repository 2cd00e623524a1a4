const asyncHooks = require('node:async_hooks');
const { createRequire } = require('node:module');
const { fileURLToPath, pathToFileURL } = require('node:url');

// What jest keeps on the realm, which is that of all files here.
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
const CURRENT = Symbol.for('watchledger.jest-globals');

/** By file, as jest asks for them when it formats a stack, frame by frame. */
class SourceMaps extends Map {
  get(place) {
    if (!place.endsWith('.ts')) return undefined;
    if (!this.has(place)) this.set(place, compiled?.sourceMapOf(place.startsWith('file:') ? fileURLToPath(place) : place));
    return super.get(place);
  }
}
const sourceMaps = new SourceMaps();
let compiled;
const loaded = Promise.all([import('../../bench/support/compiled.mjs'), import('../../bench/support/register.mjs')]).then(([module]) => {
  compiled = module;
});

/**
 * Which test or hook runs, for jest-circus: one at a time. Its AsyncLocalStorage, a further one for each file, made every promise of a worker pay for all
 * files before it: a quarter of the processor time of the unit tests.
 */
class RunningTest {
  run(context, work) {
    const outer = this.context;
    this.context = context;
    return work().finally(() => {
      this.context = outer;
    });
  }

  getStore() {
    return this.context;
  }
}

/**
 * Lets Node load test files: a module is evaluated once for each worker instead of once for each file, which was an eighth of all test time
 * (docs/decisions/test-runner.md). Everything else is jest's own: workers, the order, `expect`, hooks, snapshots and reports.
 */
class NativeRuntime {
  constructor(_config, environment) {
    this.environment = environment;
    // Of the file before: `jest.setTimeout`, and who hears of the tests.
    delete globalThis[TIMEOUT];
    delete globalThis[EVENT_HANDLERS];
  }

  /** The part of jest-circus that holds the tests of a file begins anew with each file. */
  requireInternalModule(path) {
    delete require.cache[path];
    const { AsyncLocalStorage } = asyncHooks;
    asyncHooks.AsyncLocalStorage = RunningTest;
    try {
      return require(path);
    } finally {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  requireModule = createRequire(__filename);

  setGlobalsForRuntime(globals) {
    const { moduleMocker, fakeTimersModern: timers } = this.environment;
    const jest = {
      fn: moduleMocker.fn.bind(moduleMocker),
      spyOn: moduleMocker.spyOn.bind(moduleMocker),
      restoreAllMocks: () => moduleMocker.restoreAllMocks(),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      setSystemTime: (now) => timers.setSystemTime(now),
      setTimeout: (timeout) => void (globalThis[TIMEOUT] = timeout),
    };
    globalThis[CURRENT] = { ...globals, jest };
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    await loaded;
    return import(pathToFileURL(path).href);
  }

  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}

  getSourceMaps() {
    return sourceMaps;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }
}

module.exports = NativeRuntime;
