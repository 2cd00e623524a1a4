import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { SeveringProxy } from '../../../test/support/severing-proxy.ts';
import { PostgresLeases } from './postgres-leases.ts';
import { LocalWake } from './wake.ts';

const TIMES = { renewMs: 100, lostMs: 2_500, freeMs: 4_000, pollMs: 25 };
/** A lease acquired within a test did not expire. */
const NEVER_FREE = { ...TIMES, freeMs: 3_600_000 };

let database: TestDatabase;
const opened: PostgresLeases[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((leases) => leases.close()));
});
afterAll(() => database.drop());

function instance(url = database.url, times = TIMES): PostgresLeases {
  const leases = new PostgresLeases(url, new LocalWake(), times);
  opened.push(leases);
  return leases;
}

const holdsStill = async (name: string, epoch: number): Promise<boolean> => {
  const { rowCount } = await database.pool.query('SELECT FROM lease WHERE name = $1 AND epoch = $2 AND holder IS NOT NULL', [name, epoch]);
  return rowCount === 1;
};

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 200_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('waited in vain');
    await sleep(10);
  }
}

describe('a lease', () => {
  it('goes to one of many concurrent instances, with a growing fencing token', async () => {
    const instances = Array.from({ length: 10 }, () => instance());
    for (let round = 0, before = 0; round < 3; round++) {
      const got = (await Promise.all(instances.map((leases) => leases.acquire('many')))).filter((lease) => lease !== null);
      expect(got.map(({ epoch }) => epoch > before)).toEqual([true]);
      before = got[0]?.epoch ?? 0;
      await got[0]?.release();
    }
  });

  it('is kept by heartbeats beyond the time that frees it', async () => {
    const lease = await instance().acquire('kept');
    await sleep(TIMES.freeMs * 1.5);
    expect(await instance().acquire('kept')).toBeNull();
    expect(lease?.signal.aborted).toBe(false);
  });

  it('is free at once when the connection of its owner ends', async () => {
    const proxy = await SeveringProxy.before(Number(new URL(database.url).port));
    const behind = new URL(database.url);
    behind.port = String(proxy.address.port);
    const crashed = await instance(behind.href).acquire('crashed');
    const waiting = instance(database.url, NEVER_FREE).hold('crashed', new AbortController().signal, (_, { epoch }) => {
      expect(epoch).toBeGreaterThan(crashed?.epoch ?? Infinity);
      return Promise.resolve();
    });
    await proxy.close();
    await waiting;
  });

  it('stays with an owner that reconnects', async () => {
    const lease = await instance().acquire('cut');
    await database.pool.query(`SELECT pg_terminate_backend(pid) FROM lease WHERE name = 'cut'`);
    await until(async () => {
      const { rowCount } = await database.pool.query(
        `SELECT FROM lease JOIN pg_stat_activity USING (pid, backend_start) WHERE lease.name = 'cut'`,
      );
      return rowCount === 1;
    });
    expect(await instance().acquire('cut')).toBeNull();
    expect(lease?.signal.aborted).toBe(false);
  });

  it('is lost to an owner that cannot renew, before others may acquire it by time', async () => {
    const lease = await instance(database.url, NEVER_FREE).acquire('stuck');
    const blocker = await database.pool.connect();
    try {
      // A lock on the row keeps the heartbeat from arriving, while the owner's backend is still there.
      await blocker.query('BEGIN');
      await blocker.query(`SELECT FROM lease WHERE name = 'stuck' FOR UPDATE`);
      await until(() => lease?.signal.aborted === true);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    const other = instance();
    await until(async () => (await other.acquire('stuck')) !== null);
  });

  it('stays with its owner when the clock of the database is set', async () => {
    const lease = await instance(database.url, { ...TIMES, renewMs: 3_600_000, lostMs: 7_200_000 }).acquire('set');
    const other = instance();
    for (const step of ['-1 hour', '2 hours']) {
      await database.pool.query(`UPDATE lease SET heartbeat = heartbeat + $1::interval WHERE name = 'set'`, [step]);
      expect(await other.acquire('set')).toBeNull();
    }
    expect(lease?.signal.aborted).toBe(false);
  });

  it('is free when its owner is stuck, although the clock of the database was set back after the last heartbeat', async () => {
    await instance(database.url, { ...TIMES, renewMs: 3_600_000, lostMs: 7_200_000 }).acquire('ahead');
    await database.pool.query(`UPDATE lease SET heartbeat = heartbeat + interval '1 hour' WHERE name = 'ahead'`);
    const other = instance();
    await until(async () => (await other.acquire('ahead')) !== null);
  });

  it('is lost to its owner when another instance took over', async () => {
    const lease = await instance().acquire('taken');
    await database.pool.query(`UPDATE lease SET epoch = epoch + 1, holder = 'another' WHERE name = 'taken'`);
    await until(() => lease?.signal.aborted === true);
  });
});

it('keeps the fencing token valid for a transaction without blocking heartbeats, and fences off a former owner', async () => {
  const leases = instance();
  const lease = await leases.acquire('pinned');
  if (lease === null) throw new Error('the lease is free');
  const writer = await database.pool.connect();
  try {
    await writer.query('BEGIN');
    expect(await lease.holds(writer)).toBe(true);
    await sleep(TIMES.lostMs * 1.5);
    expect(lease.signal.aborted).toBe(false);
    const takeover = database.pool.query(`UPDATE lease SET epoch = epoch + 1 WHERE name = 'pinned'`);
    await sleep(50);
    expect(await holdsStill('pinned', lease.epoch)).toBe(true);
    await writer.query('COMMIT');
    await takeover;
    expect(await lease.holds(writer)).toBe(false);
  } finally {
    writer.release();
  }
});

it('fences off an owner whose lease the database lost in a failover', async () => {
  const [former, next] = [instance(database.url, NEVER_FREE), instance()];
  await (await former.acquire('lost'))?.release();
  await database.pool.query(`CREATE TABLE former_lease AS SELECT * FROM lease WHERE name = 'lost'`);
  const lost = await former.acquire('lost');
  await database.pool.query(`DELETE FROM lease WHERE name = 'lost'; INSERT INTO lease SELECT * FROM former_lease; DROP TABLE former_lease`);
  const now = await next.acquire('lost');
  const writer = await database.pool.connect();
  try {
    expect(await lost?.holds(writer)).toBe(false);
    expect(await now?.holds(writer)).toBe(true);
  } finally {
    writer.release();
  }
});

it('waits for the lease, works, releases it, and stops when aborted', async () => {
  const [one, two] = [instance(), instance()];
  const order: string[] = [];
  const stop = new AbortController();
  const work = (who: string) => async (signal: AbortSignal) => {
    order.push(`${who} begins`);
    await sleep(50, undefined, { signal }).catch(() => undefined);
    order.push(`${who} ends`);
  };
  const first = one.hold('turns', stop.signal, work('one'));
  await until(() => order.length === 1);
  await Promise.all([first, two.hold('turns', stop.signal, work('two'))]);
  expect(order).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  stop.abort();
  await one.hold('turns', stop.signal, work('never started'));
  expect(order).toHaveLength(4);
});
