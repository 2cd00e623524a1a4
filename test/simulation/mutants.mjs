import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mutants } from './mutant-table.mjs';

// node test/simulation/mutants.mjs [DAYS] [SEED]: plants each bug of the table in a copy of the tree, and says whether the simulation catches it. Ends with 1 when one is missed.

const ROOT = resolve(import.meta.dirname, '../..');
const LONGEST_MS = 300_000;
const days = process.argv[2] ?? '20';
const seed = process.argv[3] ?? '20260101';

const folder = mkdtempSync(join(tmpdir(), 'watchledger-mutants-'));
let missed = 0;
try {
  for (const part of ['src', 'test', 'bench', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const sound = await simulate();
  if (sound !== null) throw new Error(`without any bug: ${sound}`);
  console.log(`sound    without any bug, ${days} days, seed ${seed}`);
  for (const { name, file, find, put } of mutants) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(find).length !== 2) throw new Error(`${name}: ${file} does not hold the line exactly once: ${find}`);
    writeFileSync(
      path,
      text.replace(find, () => put),
    );
    const what = await simulate();
    writeFileSync(path, text);
    if (what === null) missed++;
    console.log(`${what === null ? 'MISSED' : 'caught'}   ${name}${what === null ? '' : ` (${what})`}`);
  }
  console.log(`${mutants.length - missed} of ${mutants.length} caught`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = missed === 0 ? 0 : 1;

/** What broke first; null: nothing. */
function simulate() {
  return new Promise((done) => {
    const child = spawn(process.execPath, [join(folder, 'test/simulation/run.mjs'), days, seed], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const late = setTimeout(() => child.kill('SIGINT'), LONGEST_MS);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.once('close', (code) => {
      clearTimeout(late);
      const broken = /BROKEN \S+ (.*)/.exec(said)?.[1];
      done(code === 0 ? null : (broken ?? `it did not end well: ${said.trim().split('\n').at(-1)}`));
    });
  });
}
