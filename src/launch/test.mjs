import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkNode, install, prepare, root } from './prepare.mjs';

// npm test [-- [unit] [integration] [acceptance] [release] [OPTIONS OF JEST]]: the levels of every day, or those that are named (test/README.md).

const LEVELS = ['unit', 'integration', 'acceptance', 'release'];
const named = process.argv.slice(2).filter((word) => LEVELS.includes(word));
const levels = named.length > 0 ? named : process.env.TEST_TIER === 'all' ? LEVELS : LEVELS.filter((level) => level !== 'release');
const options = process.argv.slice(2).filter((word) => !LEVELS.includes(word));
const onlyUnit = levels.every((level) => level === 'unit');
// Integration and acceptance files wait for processes and deadlines part of the time: two workers more than cores keep the cores busy.
const workers = onlyUnit ? availableParallelism() : availableParallelism() + 2;
const hasWorkers = options.some((option) => /^(-i|-w|--runInBand|--maxWorkers)\b/.test(option));

if (onlyUnit) {
  // Unit tests run on the sources: a build would only cost time.
  checkNode();
  install();
} else prepare();

const folder = mkdtempSync(join(tmpdir(), 'watchledger-results-'));
const results = join(folder, 'results.json');
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const child = spawn(
  process.execPath,
  [
    ...[...flags, jest, '-c', '.ci/jest.config.js', '--json', `--outputFile=${results}`],
    ...(hasWorkers ? [] : [`--maxWorkers=${workers}`]),
    ...levels.flatMap((level) => ['--selectProjects', level]),
    ...options,
  ],
  {
    cwd: root,
    // With --json, jest's own report goes to standard error, and the JSON is in the file.
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
const code = await new Promise((resolve) => child.once('close', (status) => resolve(status ?? 1)));

const { passed, failed } = count();
rmSync(folder, { recursive: true, force: true });
process.exitCode = code !== 0 || failed > 0 ? 1 : 0;
process.stdout.write(`Tests: ${passed} passed, ${failed} failed\n`);

/** A file that cannot be loaded counts as one failure, and so does a run without results. */
function count() {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(results, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
