import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { PostgresLeases } from '../../persistence/postgres-leases.ts';
import { LocalWake } from '../../persistence/wake.ts';
import { Peers } from './peers.ts';

const MINUTE = 60_000;
let database: TestDatabase;
const opened: { readonly peers: Peers; readonly leases: PostgresLeases }[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const { peers, leases } of opened.splice(0)) {
    await peers.leave();
    await leases.close();
  }
});
afterAll(() => database.drop());

/** A checker of its own, on a machine whose clock is off by so much. */
function checker(offMs = 0) {
  const leases = new PostgresLeases(database.url, new LocalWake());
  const machine = { offMs, told: [] as boolean[] };
  const peers = new Peers({
    ...{ pool: database.pool, leases, clock: { now: () => Date.now() + machine.offMs } },
    onClock: (off) => machine.told.push(off !== null),
  });
  opened.push({ peers, leases });
  return { peers, machine };
}

describe('checkers that share the work', () => {
  it('count themselves and each other', async () => {
    const [one, other] = [checker(), checker()];
    expect(await one.peers.count()).toBe(1);
    expect(await other.peers.count()).toBe(2);
    expect(await one.peers.count()).toBe(2);
    await other.peers.leave();
    expect(await one.peers.count()).toBe(1);
  });

  it('leave nothing behind when they die: who comes next clears it away, and nobody who lives', async () => {
    const names = async (): Promise<number> =>
      (await database.pool.query(`SELECT FROM lease WHERE name LIKE 'presence checker %'`)).rowCount ?? 0;
    await database.pool.query(
      `INSERT INTO lease (name, holder, epoch, heartbeat, pid, backend_start)
       SELECT 'presence checker ' || nth, 'dead', 1, now() - interval '1 hour', 99999999, now() FROM generate_series(1, 20) AS nth`,
    );
    const [one, other] = [checker(), checker()];
    expect(await one.peers.count()).toBe(1);
    expect(await other.peers.count()).toBe(2);
    expect(await names()).toBe(2);
  });

  it.each([90 * 1000, 60 * MINUTE, -5 * MINUTE, -60 * MINUTE])(
    'take no part while their clock is off by %i ms, and tell it once',
    async (offMs) => {
      const [right, wrong] = [checker(), checker()];
      await wrong.peers.count();
      expect(await right.peers.count()).toBe(2);
      wrong.machine.offMs = offMs;
      expect([await wrong.peers.count(), await wrong.peers.count()]).toEqual([null, null]);
      expect(await right.peers.count()).toBe(1);
      wrong.machine.offMs = 0;
      expect(await wrong.peers.count()).toBe(2);
      expect(wrong.machine.told).toEqual([true, false]);
    },
  );

  it.each([30 * 1000, -2 * MINUTE])('are believed with a clock that is off by %i ms', async (offMs) => {
    const { peers, machine } = checker(offMs);
    expect(await peers.count()).toBe(1);
    expect(machine.told).toEqual([]);
  });
});
