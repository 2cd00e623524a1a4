import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { LeaseTable, MemoryLeases } from '../../../test/support/memory/memory-leases.ts';
import { ShardKeeper } from './shard-keeper.ts';

const SHARDS = ['eu-0', 'eu-1', 'eu-2', 'eu-3', 'eu-4'];
let table: LeaseTable;
let shards: readonly string[];
let peers: number | null;
let opened: ShardKeeper[];
let handedOver: string[];
beforeEach(() => {
  [table, shards, peers, opened, handedOver] = [new LeaseTable(), SHARDS, 1, [], []];
});
afterEach(() => Promise.all(opened.map((keeper) => keeper.close())));

/** A keeper that balances with every tick, and the shards it reported as taken. */
function start(): { readonly keeper: ShardKeeper; readonly has: ReadonlySet<string> } {
  const has = new Set<string>();
  const keeper = new ShardKeeper({
    leases: new MemoryLeases(table),
    shards: () => shards,
    countPeers: () => Promise.resolve(peers),
    leavePeers: () => Promise.resolve(void handedOver.push('left the peers')),
    onTaken: ({ name }) => has.add(name),
    onLost: (name) => {
      if (!has.delete(name)) throw new Error(`${name} was not held`);
    },
    settle: async ({ name, signal }) => {
      await new Promise((resolve) => setImmediate(resolve));
      handedOver.push(`${name}${signal.aborted ? ' aborted' : ''}`);
    },
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  });
  opened.push(keeper);
  keeper.start();
  return { keeper, has };
}
const holds = ({ has, keeper }: ReturnType<typeof start>, count: number): Promise<void> =>
  until(() => Promise.resolve(has.size === count && keeper.count === count), 5_000, `a checker with ${String(count)} shards`);

it('holds its share of the shards, releases the surplus when another checker joins, and takes over what that one releases', async () => {
  const one = start();
  await holds(one, 5);
  peers = 2;
  const other = start();
  await holds(one, 3);
  await holds(other, 2);
  expect([...one.has, ...other.has].sort()).toEqual(SHARDS);
  await other.keeper.close();
  expect(other.has.size).toBe(0);
  peers = 1;
  await holds(one, 5);
});

it('leaves the peers first, and releases a shard when the work under its lease has ended', async () => {
  const one = start();
  await holds(one, 5);
  await one.keeper.close();
  expect(handedOver).toEqual(['left the peers', ...SHARDS]);
});

it('releases shards that no longer exist', async () => {
  const one = start();
  await holds(one, 5);
  shards = ['eu-1', 'us-0'];
  await holds(one, 2);
  expect([...one.has].sort()).toEqual(['eu-1', 'us-0']);
  expect(['eu-1', 'eu-2'].map((name) => one.keeper.holds(name))).toEqual([true, false]);
});

it('holds no shard while the clock is wrong', async () => {
  const one = start();
  await holds(one, 5);
  peers = null;
  await holds(one, 0);
  peers = 1;
  await holds(one, 5);
});
