import { resolve } from 'node:path';

const rootDir = resolve(import.meta.dirname, '..');

/**
 * Three levels: `unit` (pure), `integration` (real database and sockets), `acceptance` (the whole program as a process); and `release`, files of any level
 * that run in `npm run test:all` alone.
 */
const shared = {
  rootDir,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  // Packages of teams, and tests as clients, import the sources of this tree, built or not.
  moduleNameMapper: {
    '^watchledger/projection$': '<rootDir>/src/projection.ts',
    '^watchledger/client$': '<rootDir>/src/client.ts',
    '^watchledger/client/verify$': '<rootDir>/src/client-verify.ts',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/data', '<rootDir>/(examples|teams)/.*/node_modules'],
};
const withDatabase = { globalSetup: '<rootDir>/test/support/global-setup.ts', globalTeardown: '<rootDir>/test/support/global-teardown.ts' };

export default {
  rootDir,
  maxWorkers: 2,
  testSequencer: '<rootDir>/.ci/longest-first-sequencer.mjs',
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
