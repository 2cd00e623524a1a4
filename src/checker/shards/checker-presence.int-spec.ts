import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/until.ts';
import { tryMoveLock } from '../../platform/observations/observation-claim.ts';
import { PostgresLeases } from '../../platform/postgres/postgres-leases.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { CheckerPresence } from './checker-presence.ts';

const MINUTE = 60_000;
let database: TestDatabase;
const opened: { readonly peers: CheckerPresence; readonly leases: PostgresLeases }[] = [];
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

/** A checker on a machine whose clock is off. */
function checker(offMs = 0, locations: readonly string[] = ['eu'], storesApart = false) {
  const leases = new PostgresLeases(database.url, new LocalWake());
  const machine = { offMs, reported: [] as boolean[], moved: [] as boolean[] };
  const peers = new CheckerPresence({
    ...{ pool: database.pool, leases, locations, clock: { now: () => Date.now() + machine.offMs } },
    storesApart,
    onMoved: (isMoved) => machine.moved.push(isMoved),
    onClockError: (offMs) => machine.reported.push(offMs !== null),
  });
  opened.push({ peers, leases });
  return { peers, machine };
}

const countAt = async ({ peers }: ReturnType<typeof checker>, location = 'eu'): Promise<number | null> =>
  (await peers.countPeers())?.(location) ?? null;

describe('checker presence', () => {
  it('counts all live checkers', async () => {
    const [one, other] = [checker(), checker()];
    expect(await countAt(one)).toBe(1);
    expect(await countAt(other)).toBe(2);
    expect(await countAt(one)).toBe(2);
    await other.peers.leave();
    expect(await countAt(one)).toBe(1);
  });

  it('counts at a location those that serve it, but none of a version with another numbering of the shards', async () => {
    const [one, other] = [checker(0, ['eu', 'us']), checker(0, ['us', 'sg'])];
    await other.peers.countPeers();
    expect([await countAt(one, 'eu'), await countAt(one, 'us')]).toEqual([1, 2]);
    const former = new PostgresLeases(database.url, new LocalWake());
    const lease = await former.acquire(`presence checker ${randomUUID()} eu,us`);
    expect([await countAt(one, 'eu'), await countAt(one, 'us')]).toEqual([1, 2]);
    await lease?.release();
    await former.close();
  });

  it('excludes every checker while the observations are moved, and afterwards those that store them in the former place', async () => {
    const [here, apart] = [checker(), checker(0, ['eu'], true)];
    const counts = async () => [await countAt(here), await countAt(apart)];
    await counts();
    expect(await counts()).toEqual([2, 2]);
    const mover = await database.pool.connect();
    expect(await tryMoveLock(mover)).toBe(true);
    await database.pool.query(`INSERT INTO observations_moved (moved_to, done) VALUES ('', false)`);
    expect(await counts()).toEqual([null, null]);
    // It died, and they stay where they are.
    mover.release(true);
    await until(async () => (await countAt(here)) === 1, 10_000, 'checkers go on');
    expect(await counts()).toEqual([1, null]);
    await database.pool.query(`UPDATE observations_moved SET moved_to = 'db/w'`);
    await database.pool.query('UPDATE observations_moved SET done = true');
    await counts();
    expect(await counts()).toEqual([null, 1]);
    await database.pool.query(`UPDATE observations_moved SET moved_to = ''`);
    await counts();
    expect(await counts()).toEqual([1, null]);
    await database.pool.query('DELETE FROM observations_moved');
    await counts();
    expect(await counts()).toEqual([2, 2]);
    expect([here.machine.moved, apart.machine.moved]).toEqual([
      [true, false, true, false],
      [true, false, true, false],
    ]);
  });

  it('deletes the rows of dead checkers only', async () => {
    const names = async (): Promise<number> =>
      (await database.pool.query(`SELECT FROM lease WHERE name LIKE 'presence of checker %'`)).rowCount ?? 0;
    await database.pool.query(
      `INSERT INTO lease (name, holder, epoch, heartbeat, pid, backend_start)
       SELECT 'presence of checker ' || nth, 'dead', 1, now() - interval '1 hour', 99999999, now() FROM generate_series(1, 20) AS nth`,
    );
    const [one, other] = [checker(), checker()];
    expect(await countAt(one)).toBe(1);
    expect(await countAt(other)).toBe(2);
    expect(await names()).toBe(2);
  });

  it.each([90 * 1000, 60 * MINUTE, -5 * MINUTE, -60 * MINUTE])(
    'excludes a checker whose clock is off by %i ms, and reports the change once',
    async (offMs) => {
      const [right, wrong] = [checker(), checker()];
      await wrong.peers.countPeers();
      expect(await countAt(right)).toBe(2);
      wrong.machine.offMs = offMs;
      expect([await countAt(wrong), await countAt(wrong)]).toEqual([null, null]);
      expect(wrong.peers.clockFigures.isClockWrong).toBe(true);
      expect(Math.abs((wrong.peers.clockFigures.clockOffsetMs ?? 0) - offMs)).toBeLessThan(5_000);
      expect(await countAt(right)).toBe(1);
      wrong.machine.offMs = 0;
      expect(await countAt(wrong)).toBe(2);
      expect(wrong.peers.clockFigures.isClockWrong).toBe(false);
      expect(wrong.machine.reported).toEqual([true, false]);
    },
  );

  it.each([30 * 1000, -2 * MINUTE])('accepts a clock that is off by %i ms', async (offMs) => {
    const right = checker(offMs);
    expect(await countAt(right)).toBe(1);
    expect(right.machine.reported).toEqual([]);
  });
});
