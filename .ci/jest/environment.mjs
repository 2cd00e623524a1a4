import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { measure } from './measured.mjs';

const realExit = process.exit;

/** The realm of the worker itself, for `.ci/jest/runtime.cjs`. */
export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }, { testPath }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.measured = measure(testPath);
  }

  setup() {}

  teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    process.exit = realExit;
    this.measured();
  }

  exportConditions() {
    return ['node'];
  }

  getVmContext() {
    return null;
  }
}
