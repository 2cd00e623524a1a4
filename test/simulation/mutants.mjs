import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import '../../bench/support/register.mjs';

// node test/simulation/mutants.mjs [DAYS] [SEED] [WORDS]: applies each mutant of the table to a copy of the tree, and reports whether the simulation detects it; WORDS selects mutants by name. Exits with 1 when one is missed.

const { mutants } = await import('./mutant-table.ts');
const ROOT = resolve(import.meta.dirname, '../..');
const NO_VERDICT = 'no verdict';
/** A simulation that exceeds this has not detected the mutant. */
const LONGEST_MS = 1_800_000;
const days = process.argv[2] ?? '30';
const seed = process.argv[3] ?? '20260101';
const wanted = mutants.filter(({ name }) => name.includes(process.argv[4] ?? ''));

const folder = mkdtempSync(join(tmpdir(), 'watchledger-mutants-'));
const missed = [];
try {
  const sound = await simulate(copyOfTheTree('sound'));
  if (sound !== null) throw new Error(`without any bug: ${sound}`);
  console.log(`sound    without any bug, ${days} days, seed ${seed}`);
  const left = [...wanted];
  const hands = Array.from({ length: Math.min(4, availableParallelism()) }, (_, hand) => copyOfTheTree(String(hand)));
  await Promise.all(
    hands.map(async (tree) => {
      for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) await plant(tree, mutant);
    }),
  );
  console.log(`${wanted.length - missed.length} of ${wanted.length} caught`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = missed.length === 0 ? 0 : 1;

function copyOfTheTree(name) {
  const tree = join(folder, name);
  for (const part of ['src', 'test', 'bench', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, part), join(tree, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

async function plant(tree, { name, file, find, put }) {
  const path = join(tree, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(find).length !== 2) throw new Error(`${name}: ${file} does not hold the line exactly once: ${find}`);
  writeFileSync(
    path,
    text.replace(find, () => put),
  );
  const what = await simulate(tree);
  writeFileSync(path, text);
  const verdict = what === null ? 'MISSED' : what === NO_VERDICT ? 'FAILED' : 'caught';
  if (verdict !== 'caught') missed.push(name);
  console.log(`${verdict}   ${name}${what === null ? '' : ` (${what})`}`);
}

/** The first violated invariant; null if all held, `NO_VERDICT` if the simulation crashed or timed out. */
function simulate(tree) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [join(tree, 'test/simulation/run.mjs'), days, seed, 'impatient'], {
      cwd: tree,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const late = setTimeout(() => {
      said = 'timed out';
      child.kill('SIGINT');
    }, LONGEST_MS);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.once('close', (code) => {
      clearTimeout(late);
      const broken = /BROKEN \S+ (.*)/.exec(said)?.[1];
      if (code !== 0 && broken === undefined) console.log(said.trim().slice(-2_000));
      done(code === 0 ? null : (broken ?? NO_VERDICT));
    });
  });
}
