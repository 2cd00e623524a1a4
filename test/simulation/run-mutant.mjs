import { register } from 'node:module';
import pg from 'pg';
import '../../bench/support/register.mjs';

// node test/simulation/run-mutant.mjs DATABASE_URL SEED DAYS [NAME]: one simulation with the bug of a mutant, or without any; prints the first violation.

const [url, seed, days, name] = process.argv.slice(2);
const { mutants } = await import('./mutant-table.ts');
const mutant = mutants.find((one) => one.name === name);
if (mutant !== undefined) {
  const { file, find, put } = mutant;
  register('./mutant-hooks.mjs', import.meta.url, { data: { url: new URL(`../../${file}`, import.meta.url).href, find, put } });
}
const { Simulation } = await import('./simulation.ts');

const pool = new pg.Pool({ connectionString: url, max: 8 });
const simulation = new Simulation({ seed: Number(seed), days: Number(days), impatient: true, pool });
await simulation.pass();
process.stdout.write(`${simulation.broken[0] ?? 'every invariant held'}\n`);
process.exit();
