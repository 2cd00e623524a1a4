import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { changed, slice, sliceOfCommit } from '../../../.ci/jest/files.mjs';
import { childSeconds } from '../../../.ci/jest/measured.mjs';
import { reportOf } from '../../../.ci/jest/report.mjs';
import { checkNode, install, prepare, root, say } from './prepare.mjs';

// npm test [-- [LEVEL ...] [all | slice | changed] [--report] [OPTIONS OF JEST]] (test/README.md)

const LEVELS = ['unit', 'integration', 'acceptance', 'release'];
const SLICES = 10;
const given = process.argv.slice(2);
const named = given.filter((word) => LEVELS.includes(word));
const isAbout = (word) => given.includes(word);
const options = given.filter((word) => ![...LEVELS, 'all', 'slice', 'changed', '--report'].includes(word));

const { levels, files, isRelease } = chosen();
const onlyUnit = levels.every((level) => level === 'unit');
// Integration and acceptance files wait for processes and deadlines part of the time: workers beyond the cores keep the cores busy.
const workers = onlyUnit ? availableParallelism() : availableParallelism() + 2;
const hasWorkers = options.some((option) => /^(-i|-w|--runInBand|--maxWorkers)\b/.test(option));

// Unit tests run on the sources: a build would only cost time.
if (onlyUnit) {
  checkNode();
  install('all');
} else prepare('all');

const folder = mkdtempSync(join(tmpdir(), 'watchledger-results-'));
const [results, report] = [join(folder, 'results.json'), join(folder, 'report.jsonl')];
const [begun, before] = [performance.now(), childSeconds()];
const code = files?.length === 0 ? 0 : await jest();
const { passed, failed } = files?.length === 0 ? { passed: 0, failed: 0 } : count();
if (isAbout('--report')) say(`\n${reportOf(report, { wall: (performance.now() - begun) / 1e3, cpu: childSeconds() - before, isRelease })}`);
rmSync(folder, { recursive: true, force: true });
process.exitCode = code !== 0 || failed > 0 ? 1 : 0;
process.stdout.write(`Tests: ${passed} passed, ${failed} failed\n`);

/** The levels and files of this run, and whether their loops are those of a release. */
function chosen() {
  if (isAbout('slice')) {
    const index = sliceOfCommit() % SLICES;
    const paths = slice(index, SLICES);
    say(
      `slice ${index + 1} of ${SLICES} of what npm run test:all has beyond npm test: ${paths.map((path) => relative(root, path)).join(', ')}`,
    );
    return { levels: LEVELS, files: paths, isRelease: true };
  }
  if (isAbout('changed')) {
    const { changed: paths, chosen: reached, left } = changed();
    say(
      `${paths.length} changed files reach ${reached.length + left} test files${left > 0 ? `; ${left} further away run in npm test` : ''}`,
    );
    const isUnit = reached.every((path) => !path.includes('acceptance') && path.endsWith('.spec.ts') && !path.endsWith('-spec.ts'));
    return { levels: isUnit ? ['unit'] : LEVELS, files: reached, isRelease: false };
  }
  const daily = LEVELS.filter((level) => level !== 'release');
  return {
    levels: named.length > 0 ? named : isAbout('all') ? LEVELS : daily,
    files: undefined,
    isRelease: isAbout('all') || named.includes('release'),
  };
}

async function jest() {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
      ...['-c', '.ci/jest.config.js', '--json', `--outputFile=${results}`],
      ...(hasWorkers ? [] : [`--maxWorkers=${workers}`]),
      ...levels.flatMap((level) => ['--selectProjects', level]),
      ...options,
      ...(files === undefined ? [] : ['--runTestsByPath', ...files]),
    ],
    {
      cwd: root,
      env: { ...process.env, ...(isRelease && { TEST_TIER: 'all' }), ...(isAbout('--report') && { TEST_REPORT: report }) },
      // With --json, jest's own report goes to standard error, and the JSON is in the file.
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('close', (status) => resolve(status ?? 1)));
}

/** A file that cannot be loaded counts as one failure, and so does a run without results. */
function count() {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(results, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
