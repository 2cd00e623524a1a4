import { parseArgs } from 'node:util';
import '../../bench/support/register.mjs';
import { prepare } from '../../src/launch/prepare.mjs';

// npm run test:faults -- [--rounds 20] [--strikes 10] [--seed N] [--part service|apart|replica|double|server|store] [--only WORDS,...]
// No acknowledged write may be lost or applied twice and no alert lost, however processes die, disks fill and clocks change (docs/faults.md).

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    strikes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    part: { type: 'string' },
    only: { type: 'string' },
  },
});
prepare('all');
const { generator } = await import('../simulation/random.ts');
const { crashEventStoreAtRandom } = await import('./event-store-crash.ts');
const { injectFaultsInRounds } = await import('./service/rounds.ts');

const rounds = Number(values.rounds);
const strikes = Number(values.strikes);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const only = values.only?.split(',') ?? [];
const say = (line) => console.log(line);
say(`${rounds} rounds of ${strikes} strikes, seed ${seed}`);

const random = generator(seed);
const ofService = (engine, share, databases) => () =>
  injectFaultsInRounds({ engine, databases, rounds: Math.ceil(rounds * share), strikes, random, only, say });
const parts = {
  service: ofService('postgres', 1),
  apart: ofService('postgres', 0.5, 'observations apart'),
  replica: ofService('postgres', 0.5, 'read replica'),
  double: ofService('double', 0.5),
  server: ofService('server', 0.25),
  store: () => crashEventStoreAtRandom(Math.ceil(rounds * 2.5), random, say),
};
const deaths = { service: 0, atTheMoment: 0, postgres: 0, observations: 0, replica: 0, events: 0, team: 0 };
for (const [name, strike] of Object.entries(parts)) {
  if (values.part !== undefined && values.part !== name) continue;
  if (name === 'server' && !process.env.TEST_EVENTSTORE) {
    say('part server is skipped: TEST_EVENTSTORE is not set, the command that starts a real EventStoreDB');
    continue;
  }
  say(`part ${name}`);
  for (const [what, times] of Object.entries(await strike())) deaths[what] += times;
}
say(
  `in all, seed ${seed}: the service died ${deaths.service} times (${deaths.atTheMoment} at a chosen statement), Postgres ${deaths.postgres} times, the Postgres of the observations ${deaths.observations} times, the read replica ${deaths.replica} times, the event store ${deaths.events} times, the process of the team ${deaths.team} times, and everything held`,
);
process.exit();
