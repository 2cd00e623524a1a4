// What `@jest/globals` is for the tests: modules are evaluated once, and the functions of jest belong to the file that runs.
const CURRENT = Symbol.for('watchledger.jest-globals');

const current = (name) => globalThis[CURRENT][name];
const ofRunningFile = (name) =>
  new Proxy(() => undefined, {
    apply: (_, self, given) => current(name).apply(self, given),
    get: (_, key) => current(name)[key],
  });

export const afterAll = ofRunningFile('afterAll');
export const afterEach = ofRunningFile('afterEach');
export const beforeAll = ofRunningFile('beforeAll');
export const beforeEach = ofRunningFile('beforeEach');
export const describe = ofRunningFile('describe');
export const expect = ofRunningFile('expect');
export const it = ofRunningFile('it');
export const jest = ofRunningFile('jest');
