import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Imports against the rules of dependency-rules.js, compared with those that are known and still to be turned: `--write` states them.

const root = join(import.meta.dirname, '..');
const list = join(root, '.ci/imports-to-turn.txt');
const folders = process.argv.slice(2).filter((argument) => argument !== '--write');
const { stdout, stderr } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
    ...['--config', '.ci/dependency-rules.js', '--output-type', 'baseline', ...folders],
  ],
  { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
);
if (stdout === '') throw new Error(stderr);
const found = [...new Set(JSON.parse(stdout).map(({ from, to, rule }) => `${from} -> ${to} (${rule.name})`))].sort();
if (process.argv.includes('--write')) writeFileSync(list, `${found.join('\n')}\n`);
const known = readFileSync(list, 'utf8').trimEnd().split('\n');
const added = found.filter((line) => !known.includes(line));
const gone = known.filter((line) => !found.includes(line));
for (const line of added) console.error(`against the order of the house: ${line}`);
for (const line of gone) console.error(`no longer there, to be taken out of .ci/imports-to-turn.txt: ${line}`);
if (added.length + gone.length > 0) process.exitCode = 1;
