import { describe, expect, it, jest } from '@jest/globals';
import { generator } from '../simulation/random.ts';
import { EventStoreCluster } from '../support/servers/event-store-cluster.ts';
import { startEventStoreNode } from '../support/servers/event-store-node.ts';
import { contractOn } from './acceptance.mjs';
import { readFollowers } from './follower-read.ts';
import { killLeaders } from './leader-killed.ts';

jest.setTimeout(1_800_000);

const { TEST_EVENTSTORE: command, TEST_EVENTSTORE_URL: existing } = process.env;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** The short form of `npm run test:engine`. With TEST_EVENTSTORE every acceptance test of the run has a real event store, too. */
if (command === undefined)
  it.skip('a real EventStoreDB or KurrentDB (skipped: TEST_EVENTSTORE is not set, the command that starts one)', () => undefined);
else
  describe('a real event store', () => {
    it('keeps the contract of an event store and of the mirror as one node', async () => {
      const node = await startEventStoreNode(command);
      try {
        expect(await contractOn(node.url, 'one node', say)).toBe(true);
      } finally {
        await node.stop();
      }
    });

    it('keeps them as a cluster of three', async () => {
      const cluster = await EventStoreCluster.open(command);
      try {
        expect(await contractOn(cluster.url(), 'a cluster of three', say)).toBe(true);
      } finally {
        await cluster.close();
      }
    });

    it('loses and doubles nothing when its leaders are killed', async () => {
      await killLeaders({ command, rounds: 2, random: generator(20_260_101), say });
    });

    it('is read from its followers', async () => {
      await readFollowers({ command, say });
    });
  });

if (existing !== undefined)
  it('keeps the contract of an event store as the server in TEST_EVENTSTORE_URL', async () => {
    expect(await contractOn(existing, 'the server in TEST_EVENTSTORE_URL', say)).toBe(true);
  });
