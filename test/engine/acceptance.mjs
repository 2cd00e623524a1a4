import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../../src/launch/prepare.mjs';

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/** Runs the files one by one in separate processes: each service has its own event store, which takes memory. */
export async function acceptanceOn(only, say) {
  const files = listing(join(root, 'test', 'acceptance')).filter((file) => only.length === 0 || only.some((word) => file.includes(word)));
  const logs = mkdtempSync(join(tmpdir(), 'watchledger-engine-logs-'));
  say(`${files.length} files; their output is in ${logs}`);
  const sum = { passed: 0, failed: 0 };
  for (const file of files) {
    const started = performance.now();
    const log = join(logs, `${file.replaceAll('/', '-')}.log`);
    const { passed, failed } = await run(['--selectProjects', 'acceptance', '--runTestsByPath', join('test', 'acceptance', file)], log);
    sum.passed += passed;
    sum.failed += failed;
    say(
      `${file}: ${passed} passed, ${failed} failed, ${((performance.now() - started) / 1_000).toFixed(0)} s${failed > 0 ? ` (${log})` : ''}`,
    );
  }
  say(`acceptance on the real server: ${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0;
}

/** The contract of an event store, and the mirror, against the server that `url` names. */
export async function contractOn(url, what, say) {
  const log = join(mkdtempSync(join(tmpdir(), 'watchledger-engine-logs-')), 'contract.log');
  const patterns = ['event-store/kurrentdb/contract', 'log/mirror.int-spec'];
  const env = { EVENTSTORE_URL: url };
  const { passed, failed } = await run(['--selectProjects', 'integration', '--testPathPatterns', ...patterns], log, env);
  say(`contract and mirror on ${what}: ${passed} passed, ${failed} failed${failed > 0 ? ` (${log})` : ''}`);
  return failed === 0 && passed > 0;
}

/** A file that could not even be loaded counts as one failure, and so does a run without a result. */
async function run(args, log, env = {}) {
  const results = `${log}.json`;
  const output = createWriteStream(log);
  const command = [...flags, jest, '-c', '.ci/jest.config.js', '-i', '--forceExit', '--json', `--outputFile=${results}`, ...args];
  const child = spawn(process.execPath, command, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.pipe(output);
  const stop = () => child.kill('SIGTERM');
  process.on('SIGINT', stop).on('SIGTERM', stop);
  await new Promise((done) => child.once('close', done));
  process.off('SIGINT', stop).off('SIGTERM', stop);
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(results, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const listing = (folder, from = folder) =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return listing(path, from);
      return entry.name.endsWith('.spec.ts') ? [relative(from, path)] : [];
    })
    .toSorted();
