import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

prepare();

const folder = mkdtempSync(join(tmpdir(), 'watchledger-results-'));
const results = join(folder, 'results.json');
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const child = spawn(
  process.execPath,
  [...flags, jest, '-c', '.ci/jest.config.js', '--json', `--outputFile=${results}`, ...process.argv.slice(2)],
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

/** A file that could not even be loaded counts as one failure, and so does a run without a result. */
function count() {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(results, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
