import { parseArgs } from 'node:util';
import '../../bench/support/register.mjs';
import { prepare } from '../../src/operations/launch/prepare.mjs';
import { acceptanceOn, contractOn, endWithSignals, wasInterrupted } from './acceptance.mjs';

// TEST_EVENTSTORE='dotnet EventStore.ClusterNode.dll' npm run test:engine -- [--part contract|leader|follower|acceptance] [--rounds 10] [--seed N] [--only WORDS,...]
// TEST_EVENTSTORE_URL=esdb://... npm run test:engine: the contract alone, on a server or cluster that is already there; it adds streams of its own.
// Everything that the double simulates elsewhere, on real servers: one node, and a cluster of three whose leaders are killed.

const { values } = parseArgs({
  options: { part: { type: 'string' }, rounds: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
});
const say = (line) => console.log(line);
const command = process.env.TEST_EVENTSTORE;
const existing = process.env.TEST_EVENTSTORE_URL;
if (!command && !existing) {
  say(
    'SKIPPED: TEST_EVENTSTORE is not set. It is the command that starts a real EventStoreDB or KurrentDB, such as "dotnet EventStore.ClusterNode.dll"; TEST_EVENTSTORE_URL names one that runs.',
  );
  process.exit(0);
}
prepare('all');
endWithSignals();
if (existing) process.exit((await contractOn(existing, 'the server in TEST_EVENTSTORE_URL', say)) ? 0 : 1);
const { generator } = await import('../simulation/random.ts');
const { startEventStoreNode } = await import('../support/servers/event-store-node.ts');
const { EventStoreCluster } = await import('../support/servers/event-store-cluster.ts');
const { killLeaders } = await import('./leader-killed.ts');
const { readFollowers } = await import('./follower-read.ts');

const rounds = Number(values.rounds ?? 10);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const parts = {
  contract,
  leader: async () => {
    say(`${rounds} rounds, seed ${seed}`);
    await killLeaders({ command, rounds, random: generator(seed), say });
    return true;
  },
  follower: async () => {
    await readFollowers({ command, say });
    return true;
  },
  acceptance: () => acceptanceOn(values.only?.split(',') ?? [], say),
};

let whole = true;
for (const [name, run] of Object.entries(parts)) {
  if (values.part !== undefined && values.part !== name) continue;
  if (wasInterrupted()) break;
  say(`part ${name}`);
  whole = (await run()) && whole;
}
process.exit(whole ? 0 : 1);

async function contract() {
  const node = await startEventStoreNode(command);
  const single = await contractOn(node.url, 'one node', say).finally(() => node.stop());
  const cluster = await EventStoreCluster.open(command);
  return (await contractOn(cluster.url(), 'a cluster of three', say).finally(() => cluster.close())) && single;
}
