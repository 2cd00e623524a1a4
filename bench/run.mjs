import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { prepare } from '../src/operations/launch/prepare.mjs';
import './support/register.mjs';

// npm run bench -- [NAME...]: builds, and runs all benches or the named ones. Prints each figure as a line of JSON; bench/results.md keeps the latest of each.

const { openBenchDatabases } = await import('./support/databases.ts');
const { mergeResults } = await import('./support/results.ts');

const here = import.meta.dirname;
const all = readdirSync(here)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length));
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`unknown bench: ${unknown.join(', ')}; expected: ${all.join(', ')}`);
  process.exit(2);
}

prepare('all');
const say = (line) => console.error(line);
const load = loadavg()[0].toFixed(1);
const databases = await openBenchDatabases(say);
const results = [];
let broken = false;
try {
  for (const name of asked.length > 0 ? asked : all) {
    say(`${name} ...`);
    try {
      const { default: bench } = await import(`./${name}.bench.ts`);
      for (const figure of await bench({ database: () => databases.create(), say })) {
        results.push({ bench: name, ...figure });
        console.log(JSON.stringify(figure));
      }
    } catch (error) {
      console.error(error);
      broken = true;
    }
  }
} finally {
  await databases.stop();
}

const file = join(here, 'results.md');
// A figure states the load on the machine as well as the machine.
const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}, ${process.platform}, load before ${load}`;
writeFileSync(file, mergeResults(existsSync(file) ? readFileSync(file, 'utf8') : '', results, { date: new Date(), machine }));
process.exit(broken || results.some(({ met }) => met === false) ? 1 : 0);
