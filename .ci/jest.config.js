import { resolve } from 'node:path';

const rootDir = resolve(import.meta.dirname, '..');

/**
 * Three levels: `unit` (pure), `integration` (real database and sockets), `acceptance` (the whole program as a process); and `release`, files of any level
 * that run in `npm run test:all` alone.
 */
const shared = {
  rootDir,
  testEnvironment: '<rootDir>/.ci/jest/environment.mjs',
  runtime: '<rootDir>/.ci/jest/runtime.cjs',
  extensionsToTreatAsEsm: ['.ts'],
  // The hooks of bench/support/register.mjs compile; jest's own transformer would only be in the way.
  transform: {},
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/data', '<rootDir>/(examples|teams)/.*/node_modules'],
};
const withDatabase = { globalSetup: '<rootDir>/.ci/jest/set-up.mjs', globalTeardown: '<rootDir>/.ci/jest/tear-down.mjs' };

export default {
  rootDir,
  maxWorkers: 2,
  testSequencer: '<rootDir>/.ci/jest/sequencer.mjs',
  // Some tests start whole processes, and the machine may be busy; slow unit tests show in the report.
  testTimeout: 300_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{src,test,bench,examples,teams}/**/*.spec.ts'],
      testPathIgnorePatterns: ['<rootDir>/test/acceptance'],
    },
    { ...shared, ...withDatabase, displayName: 'integration', testMatch: ['<rootDir>/{src,test,examples,teams}/**/*.int-spec.ts'] },
    { ...shared, ...withDatabase, displayName: 'acceptance', testMatch: ['<rootDir>/test/acceptance/**/*.spec.ts'] },
    { ...shared, ...withDatabase, displayName: 'release', testMatch: ['<rootDir>/{src,test,examples,teams}/**/*.release-spec.ts'] },
  ],
};
