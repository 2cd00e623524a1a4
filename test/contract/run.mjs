import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from '../../src/launch/prepare.mjs';

// node test/contract/run.mjs [REQUESTS] [SEED]: generated requests against the running service, each answer held against the description.
// TEST_EVENTSTORE starts a real event store for it, TEST_EVENTSTORE_URL=esdb://... names an empty one that runs already.

prepare('all');
const env = {
  ...process.env,
  CONTRACT_REQUESTS: process.argv[2] ?? '10000',
  CONTRACT_SEED: process.argv[3] ?? String(Date.now() % 1_000_000),
};
const jest = [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '-c', '.ci/jest.config.js'];
const flags = ['--disable-warning=ExperimentalWarning'];
const only = ['--selectProjects', 'acceptance', '--testPathPatterns', 'acceptance/api/generated-requests'];
const { status } = spawnSync(process.execPath, [...flags, ...jest, ...only], { cwd: root, env, stdio: 'inherit' });
process.exitCode = status ?? 1;
