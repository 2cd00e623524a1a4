import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { checkNode, install, root } from '../src/operations/launch/prepare.mjs';
import { sliceOfCommit } from './jest/files.mjs';

checkNode();
install('all');

// `--without NAME`: whether the rest stands without a capability; `all`: without each that may go; `turn`: without one of them, by the number of commits.
const taken = process.argv.indexOf('--without');
if (taken > 0) {
  // It needs a package that is installed by now.
  const { MAY_GO, without } = await import('./without.mjs');
  for (const name of namesOf(process.argv[taken + 1], Object.keys(MAY_GO))) {
    const begun = Date.now();
    await without(name);
    console.log(`ok     without ${name} (${seconds(begun)})`);
  }
  process.exit();
}

const folders = ['src', 'test', 'bench', 'examples', 'teams'].filter((folder) => existsSync(join(root, folder)));
const jest = [bin('jest', 'bin/jest.js')];

// `--without-tests`: for CI, where `npm test` runs them.
const withoutTests = process.argv.includes('--without-tests');

/** The slow ones first; each says nothing when it is content. */
const tasks = [
  ['unit tests', [...jest, '-c', '.ci/jest.config.js', '--selectProjects', 'unit', '--silent', '--maxWorkers=2']],
  [
    'lint and types',
    [bin('oxlint', 'bin/oxlint'), '--type-aware', '--type-check', '--report-unused-disable-directives-severity=error', ...folders],
  ],
  ['events page', ['test/events-page/write.mjs', '--check']],
  ['format', [bin('oxfmt', 'bin/oxfmt'), '--check', '.']],
  [
    'imports',
    [bin('dependency-cruiser', 'bin/dependency-cruise.mjs'), '--config', '.ci/dependency-rules.js', '--output-type', 'err', ...folders],
  ],
  ['dead code', [bin('knip', 'bin/knip.js'), '--config', '.ci/knip.json', '--no-progress', '--no-config-hints']],
  ['copies', [bin('jscpd', 'run-jscpd.js'), '--config', '.ci/copies.json', ...folders]],
];

// What `npm test` needs next.
if (withoutTests)
  tasks.push(['build', ['--input-type=module', '-e', "import { build } from './src/operations/launch/prepare.mjs'; build();"]]);

const started = Date.now();
const waiting = tasks.filter(([name]) => !(withoutTests && name === 'unit tests'));
const total = waiting.length;
const failed = [];
await Promise.all(Array.from({ length: Math.max(2, Math.min(cpus().length, 4)) }, worker));
console.log(
  failed.length === 0 ? `all ${total} checks passed in ${seconds(started)}` : `failed: ${failed.join(', ')} (${seconds(started)})`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

async function worker() {
  for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
    const [name, args] = task;
    const begun = Date.now();
    const { code, output } = await run(args);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds(begun)})`);
    if (code === 0) continue;
    failed.push(name);
    console.log(output.trimEnd());
  }
}

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }));
  });
}

function bin(name, file) {
  return join(root, 'node_modules', name, file);
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

function namesOf(given, names) {
  if (given === 'all') return names;
  return given === 'turn' ? [names[sliceOfCommit() % names.length]] : [given];
}
