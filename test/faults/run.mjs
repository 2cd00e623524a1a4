import { parseArgs } from 'node:util';
import '../../bench/support/register.mjs';
import { prepare } from '../../src/ops/launch/prepare.mjs';

// npm run test:faults -- [--rounds 200] [--seed N] [--part service|double|store] [--only WORDS,...]
// Nothing that was acknowledged may be lost, or stand twice, nobody may be left untold, however processes die, disks fill and clocks are set.

const { values } = parseArgs({
  options: { rounds: { type: 'string' }, seed: { type: 'string' }, part: { type: 'string' }, only: { type: 'string' } },
});
prepare();
const { killAtRandom } = await import('./killed.ts');
const { strikeInRounds } = await import('./service/rounds.ts');

const rounds = Number(values.rounds ?? 200);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const only = values.only?.split(',') ?? [];
const random = seededRandom(seed);
const say = (line) => console.log(line);
say(`${rounds} rounds, seed ${seed}`);

/** The event store alone is quick, and a quarter of the rounds goes to the other engine. */
const parts = {
  service: () => strikeInRounds({ engine: 'postgres', rounds, random, only, say }),
  double: () => strikeInRounds({ engine: 'double', rounds: Math.ceil(rounds / 4), random, only, say }),
  store: () => killAtRandom(Math.ceil(rounds / 4), random, say),
};
for (const [name, strike] of Object.entries(parts)) {
  if (values.part !== undefined && values.part !== name) continue;
  say(`part ${name}`);
  await strike();
}
process.exit();

/** mulberry32 */
function seededRandom(from) {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
