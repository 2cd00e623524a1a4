import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../../src/operations/launch/prepare.mjs';

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const flags = ['--disable-warning=ExperimentalWarning'];

/** Runs the files one by one in separate processes: each service has its own event store, which takes memory. */
export async function acceptanceOn(only, say) {
  const files = listing(join(root, 'test', 'acceptance')).filter((file) => only.length === 0 || only.some((word) => file.includes(word)));
  const logs = mkdtempSync(join(tmpdir(), 'watchledger-engine-logs-'));
  say(`${files.length} files; their output is in ${logs}`);
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const file of files) {
    const started = performance.now();
    const log = join(logs, `${file.replaceAll('/', '-')}.log`);
    if (isInterrupted) break;
    const one = await run(['--selectProjects', 'acceptance', '--runTestsByPath', join('test', 'acceptance', file)], log);
    for (const state of Object.keys(sum)) sum[state] += one[state];
    say(`${file}: ${outcome(one, log)}, ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  }
  say(`acceptance on the real server: ${outcome(sum, logs)}`);
  return sum.failed === 0 && !isInterrupted;
}

/** The contract of an event store, and the mirror, against the server that `url` names. Cases that run on the double in the same files do not count. */
export async function contractOn(url, what, say) {
  const log = join(mkdtempSync(join(tmpdir(), 'watchledger-engine-logs-')), 'contract.log');
  const patterns = ['event-store/kurrentdb/contract', 'log/mirror.int-spec'];
  const sum = await run(['--selectProjects', 'integration', '--testPathPatterns', ...patterns], log, { EVENTSTORE_URL: url }, isOnServer);
  say(`contract and mirror on ${what}: ${outcome(sum, log)}`);
  return sum.failed === 0 && sum.passed > 0;
}

/** Such cases name the variable. */
const isOnServer = ({ fullName }) => fullName.includes('EVENTSTORE_URL');

const outcome = ({ passed, failed, skipped }, log) =>
  `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} SKIPPED`}${failed > 0 ? ` (${log})` : ''}`;

let running = null;
let isInterrupted = false;
const interrupt = () => {
  isInterrupted = true;
  running?.kill('SIGTERM');
};

/** Ends the whole run at SIGTERM or Ctrl-C, not only the file that runs. */
export function endWithSignals() {
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
}

export const wasInterrupted = () => isInterrupted;

/** A file that could not even be loaded counts as one failure, and so does a run without a result. */
async function run(args, log, env = {}, counts = () => true) {
  if (isInterrupted) return { passed: 0, failed: 1, skipped: 0 };
  const results = `${log}.json`;
  const output = createWriteStream(log);
  const command = [...flags, jest, '-c', '.ci/jest.config.js', '-i', '--forceExit', '--json', `--outputFile=${results}`, ...args];
  running = spawn(process.execPath, command, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  running.stderr.pipe(output);
  await new Promise((done) => running.once('close', done));
  running = null;
  try {
    const { testResults, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(results, 'utf8'));
    const cases = testResults.flatMap(({ assertionResults }) => assertionResults).filter(counts);
    const of = (...states) => cases.filter(({ status }) => states.includes(status)).length;
    return {
      passed: of('passed'),
      failed: of('failed') + numRuntimeErrorTestSuites,
      skipped: of('pending', 'skipped', 'todo', 'disabled'),
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
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
