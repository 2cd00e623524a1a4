import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CHECK_COUNTS } from './flat/flat-events.ts';
import type { FlatCase } from './flat/flat-case.ts';
import { buildFlatDatabase, type FlatDatabase } from './flat/flat-database.ts';
import { type Bench, type Figure, figure, median } from './support/bench.ts';

/** `FLAT_TOP=20000` for a try. */
const SIZES = [10, 1_000, Number(process.env['FLAT_TOP'] ?? 100_000)];
const ROUNDS = 5;
const CALLS = 15;
/** Below it, the difference is a level of a B-tree. */
const FLOOR_MS = 0.3;
const GOAL = { ratioAtMost: 1.5 } as const;

interface Prepared {
  readonly size: number;
  readonly call: () => Promise<unknown>;
  /** The median of each round. */
  readonly rounds: number[];
}

/** What must not grow with the number of projects, checks or events: each case at a small, a middle and a large size, in interleaved rounds. */
const bench: Bench = async ({ database, say }) => {
  const databases: FlatDatabase[] = [];
  const figures: Figure[] = [];
  try {
    const cases = await loadCases();
    for (const size of SIZES) {
      const began = performance.now();
      databases.push(await buildFlatDatabase(await database(), size));
      say(`${size.toLocaleString('en')} projects in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
    }
    for (const flat of cases) {
      const measured = await measure(flat, databases);
      say(
        `${flat.name}: ${measured.map(({ size, rounds }) => `${size.toLocaleString('en')} ${flat.over} ${best(rounds).toFixed(2)} ms`).join(', ')}`,
      );
      figures.push(...figuresOf(flat, measured));
    }
    const grown = figures.filter(({ met }) => met === false);
    say(grown.length === 0 ? 'flat' : `NOT FLAT: ${grown.map(({ name }) => name).join('; ')}`);
    return figures;
  } finally {
    for (const each of databases) await each.close();
  }
};

export default bench;

async function loadCases(): Promise<readonly FlatCase[]> {
  const folder = join(import.meta.dirname, 'flat/cases');
  const wanted = process.env['FLAT_CASES']?.split(',');
  const cases: FlatCase[] = [];
  for (const file of readdirSync(folder).sort()) {
    const { default: given } = (await import(join(folder, file))) as { readonly default: FlatCase | readonly FlatCase[] };
    cases.push(...[given].flat());
  }
  return cases.filter(({ name }) => wanted?.some((text) => name.includes(text)) ?? true);
}

async function measure(flat: FlatCase, databases: readonly FlatDatabase[]): Promise<readonly Prepared[]> {
  const prepared: Prepared[] = [];
  const [smallest] = databases;
  if (flat.over === 'projects') {
    for (const each of databases) prepared.push({ size: each.projects, call: await flat.prepare(each, each.projects), rounds: [] });
  } else if (smallest !== undefined) {
    for (const size of flat.sizes ?? CHECK_COUNTS) prepared.push({ size, call: await flat.prepare(smallest, size), rounds: [] });
  }
  // The first round is a warm-up.
  for (let round = 0; round <= ROUNDS; round++)
    for (const { call, rounds } of prepared) {
      const took: number[] = [];
      for (let index = 0; index < (flat.calls ?? CALLS); index++) {
        const began = performance.now();
        await call();
        took.push(performance.now() - began);
      }
      if (round > 0) rounds.push(median(took));
    }
  return prepared;
}

/** The calmest round: other load only ever adds. */
const best = (rounds: readonly number[]): number => Math.min(...rounds);

function figuresOf({ name, over, atMost }: FlatCase, measured: readonly Prepared[]): readonly Figure[] {
  const [smallest, largest] = [measured[0], measured.at(-1)];
  if (smallest === undefined || largest === undefined) return [];
  const [small, large] = [best(smallest.rounds), best(largest.rounds)];
  const shown = `${name}, ${largest.size.toLocaleString('en')} ${over}`;
  return [
    figure(`${shown} (ceiling: ${smallest.size.toLocaleString('en')})`, large, 'ms', { ceiling: Math.max(small, FLOOR_MS), goal: GOAL }),
    ...(atMost === undefined ? [] : [figure(shown, large, 'ms', { goal: { atMost } })]),
  ];
}
