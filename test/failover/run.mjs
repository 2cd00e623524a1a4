import { parseArgs } from 'node:util';
import '../../bench/support/register.mjs';
import { prepare } from '../../src/launch/prepare.mjs';

// npm run test:failover -- [--rounds 10] [--only WORDS,...], and one more round with the double of an event store
// Two real Postgres servers and one or two instances of the service behind a balancer: the primary fails in every way in which it can go silent, under
// load, and a standby takes its place (docs/faults.md, Failover).

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' }, only: { type: 'string' } } });
prepare('all');
const { failOverInRounds } = await import('./rounds.ts');
const { KurrentDbDouble } = await import('../support/kurrentdb-double/kurrentdb-double.ts');

const [synchronous, asynchronous] = ['synchronous', 'asynchronous'];
const rounds = [
  { instances: 1, replication: asynchronous, failure: 'suspended', held: 'views' },
  { instances: 1, replication: synchronous, failure: 'vanished', held: 'append' },
  { instances: 1, replication: asynchronous, failure: 'killed' },
  { instances: 1, replication: synchronous, failure: 'half-open', held: 'keyed insert' },
  { instances: 1, replication: synchronous, failure: 'suspended', held: 'team projection' },
  { instances: 2, replication: synchronous, failure: 'suspended', held: 'views' },
  { instances: 2, replication: asynchronous, failure: 'vanished', held: 'leases' },
  { instances: 2, replication: synchronous, failure: 'killed' },
  { instances: 2, replication: asynchronous, failure: 'half-open' },
  { instances: 2, replication: synchronous, failure: 'suspended', held: 'seal' },
];
// Events in an event store, mirrored into the database that fails.
const mirrored = { instances: 1, replication: asynchronous, failure: 'suspended', held: 'mirror' };
const words = values.only?.split(',') ?? [];
const wanted = Number(values.rounds);
const repeated = Array.from({ length: Math.ceil(wanted / rounds.length) }, () => rounds).flat();
const isChosen = (round) => words.every((word) => Object.values(round).map(String).includes(word));
const chosen = repeated.slice(0, wanted).filter(isChosen);
const say = (line) => console.log(line);
const found = [];
for (const instances of [1, 2]) {
  const plan = chosen.filter((round) => round.instances === instances);
  if (plan.length > 0) found.push(...(await failOverInRounds({ instances, rounds: plan, firstWriteWithinMs: 12_000, say })));
}
if (isChosen(mirrored)) {
  const double = await KurrentDbDouble.start();
  found.push(...(await failOverInRounds({ instances: 1, rounds: [mirrored], eventStoreUrl: double.url, firstWriteWithinMs: 12_000, say })));
  await double.stop();
}
const slowest = Math.max(...found.map(({ firstWriteMs }) => firstWriteMs));
say(`${found.length} failovers: the first write after ${(slowest / 1_000).toFixed(1)} s at most, and everything held`);
process.exit();
