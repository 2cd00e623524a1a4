import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { LeaseTable, MemoryLeases } from '../../../test/support/memory/memory-leases.ts';
import { shardsOf } from '../../platform/observations/shards.ts';
import { type PeersAt, ShardKeeper } from './shard-keeper.ts';

const SHARDS = ['eu-0', 'eu-1', 'eu-2', 'eu-3', 'eu-4'];
let table: LeaseTable;
let peers: number | null;
let opened: ShardKeeper[];
let handedOver: string[];
let raised: string[];
let areFencesAway: boolean;
beforeEach(() => {
  [table, peers, opened, handedOver, raised, areFencesAway] = [new LeaseTable(), 1, [], [], [], false];
});
afterEach(() => Promise.all(opened.map((keeper) => keeper.close())));

/** A keeper that balances with every tick, and the shards it reported as taken; `peersAt`: those of each of its locations. */
function start(
  shards: Readonly<Record<string, readonly string[]>> = { eu: SHARDS },
  peersAt: PeersAt = () => peers ?? 0,
  pause: (signal: AbortSignal, isSettled: boolean) => Promise<void> = () => new Promise((resolve) => setImmediate(resolve)),
): { readonly keeper: ShardKeeper; readonly has: ReadonlySet<string> } {
  const has = new Set<string>();
  const keeper = new ShardKeeper({
    leases: new MemoryLeases(table),
    locations: Object.keys(shards),
    occupied: (location) => shards[location] ?? [],
    countPeers: () => Promise.resolve(peers === null ? null : peersAt),
    leavePeers: () => Promise.resolve(void handedOver.push('left the peers')),
    raiseFence: ({ name }) => (areFencesAway ? Promise.reject(new Error('away')) : Promise.resolve(void raised.push(name))),
    onTaken: ({ name }) => {
      if (!raised.includes(name)) throw new Error(`${name} was taken before its fence was raised`);
      has.add(name);
    },
    onLost: (name) => {
      if (!has.delete(name)) throw new Error(`${name} was not held`);
    },
    settle: async ({ name, signal }) => {
      await new Promise((resolve) => setImmediate(resolve));
      handedOver.push(`${name}${signal.aborted ? ' aborted' : ''}`);
    },
    pause,
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

const shardsAt = (...locations: readonly string[]) => Object.fromEntries(locations.map((location) => [location, shardsOf(location)]));
const countAt = ({ has }: ReturnType<typeof start>, location: string): number =>
  [...has].filter((name) => name.startsWith(`checker ${location} `)).length;

it('shares the 64 shards of each location equally', async () => {
  const locations = ['eu', 'us', 'hk'];
  peers = 4;
  const checkers = [1, 2, 3, 4].map(() => start(shardsAt(...locations)));
  for (const checker of checkers) await holds(checker, 48);
  for (const location of locations) expect(checkers.map((checker) => countAt(checker, location))).toEqual([16, 16, 16, 16]);
});

it('leaves no shard without an owner where checkers serve unequal locations', async () => {
  const peersAt: PeersAt = (location) => (location === 'eu' ? 3 : 1);
  const both = start(shardsAt('eu', 'us'), peersAt);
  const [one, other] = [start(shardsAt('eu'), peersAt), start(shardsAt('eu'), peersAt)];
  await until(() => Promise.resolve(both.has.size + one.has.size + other.has.size === 128), 5_000, 'all shards to be held');
  expect(countAt(both, 'us')).toBe(64);
  expect(Math.max(...[both, one, other].map((checker) => countAt(checker, 'eu')))).toBeLessThanOrEqual(22);
});

it('holds no shard without projects, and takes one as soon as it has its first', async () => {
  const occupied: Record<string, readonly string[]> = { eu: [] };
  let rounds = 0;
  const one = start(occupied, undefined, async (signal) => {
    rounds++;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  });
  await until(() => Promise.resolve(rounds === 1), 5_000, 'the first round');
  expect(one.keeper.count).toBe(0);
  occupied['eu'] = SHARDS.slice(0, 1);
  one.keeper.balanceNow();
  await holds(one, 1);
});

it('releases a shard that has lost its last project, so that its share leaves none of the others without an owner', async () => {
  const [known, knownToBoth] = [SHARDS, ['eu-1', 'eu-3']];
  const occupied: Record<string, readonly string[]> = { eu: known };
  const one = start(occupied);
  await holds(one, 5);
  // The other one has started since, and never knew the shards that are empty by now.
  peers = 2;
  const other = start({ eu: knownToBoth });
  occupied['eu'] = knownToBoth;
  await holds(one, 1);
  await holds(other, 1);
  expect([...one.has, ...other.has].sort()).toEqual(knownToBoth);
});

it('leaves a shard to others while its fence cannot be raised', async () => {
  areFencesAway = true;
  const one = start();
  await until(() => Promise.resolve((table.rows.get('eu-0')?.epoch ?? 0) > 3), 5_000, 'it tries again');
  expect([one.keeper.count, one.has.size]).toEqual([0, 0]);
  areFencesAway = false;
  await holds(one, 5);
});

it('holds no shard while the clock is wrong', async () => {
  const one = start();
  await holds(one, 5);
  peers = null;
  await holds(one, 0);
  peers = 1;
  await holds(one, 5);
});

it('is settled only while it is alone and holds every shard, and begins the next round at once when it loses one', async () => {
  const rounds: boolean[] = [];
  let next: () => void = () => undefined;
  const one = start({ eu: SHARDS }, undefined, (signal, isSettled) => {
    rounds.push(isSettled);
    return new Promise((resolve) => {
      next = resolve;
      signal.addEventListener('abort', () => {
        resolve();
      });
      if (signal.aborted) resolve();
    });
  });
  const round = (count: number): Promise<void> => until(() => Promise.resolve(rounds.length === count), 5_000, `round ${String(count)}`);
  await round(1);
  expect(rounds).toEqual([true]);
  peers = 2;
  next();
  await round(2);
  peers = 1;
  next();
  await round(3);
  expect(rounds).toEqual([true, false, true]);
  await one.keeper.leaseOf('eu-1')?.release();
  await round(4);
  expect([...one.has].sort()).toEqual(SHARDS);
});
