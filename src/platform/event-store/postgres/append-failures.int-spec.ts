import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { SeveringProxy } from '../../../../test/support/severing-proxy.ts';
import { openPool } from '../../postgres/pool.ts';
import { LocalWake } from '../../postgres/wake.ts';
import type { NewEvent } from '../../../kernel/event.ts';
import { derivedId } from '../../../kernel/ids.ts';
import { StoreUnavailable } from '../../../kernel/errors.ts';
import { PostgresEventStore } from './postgres-event-store.ts';

/** Generous: a busy machine needs many retries while its backends are killed. */
const APPEND_TIMEOUT_MS = 60_000;

let database: TestDatabase;
let pools: readonly pg.Pool[];
let stores: readonly PostgresEventStore[];
beforeAll(async () => {
  database = await createTestDatabase();
  pools = [1, 2].map(() => openPool(database.url, { name: 'events', max: 4 }));
  stores = pools.map((pool) => new PostgresEventStore(pool, new LocalWake(), APPEND_TIMEOUT_MS));
});
beforeEach(() => database.pool.query('TRUNCATE log'));
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

function event(stream: string, revision: number, writer = 'writer'): NewEvent {
  const id = derivedId(stream, revision, writer);
  const meta = { correlationId: id, causationId: null, commandId: id, occurredAt: '2026-11-21T12:00:00.000Z' };
  return { id, type: 'T', version: 1, scope: 'system', data: { writer }, meta: { ...meta, actor: { kind: 'cli', id: 'x' } } };
}

const store = (index = 0): PostgresEventStore => stores[index] ?? new PostgresEventStore(database.pool, new LocalWake());

const before = (revision: number) => (revision === 0 ? ('no stream' as const) : revision - 1);

/** No gap in the log or in a stream, and strictly growing times. */
async function expectWhole(length: number): Promise<void> {
  const { rows } = await database.pool.query(`
    SELECT count(*)::int AS length, max(n)::int AS head,
           count(*) FILTER (WHERE revision <> place)::int AS misplaced,
           count(*) FILTER (WHERE recorded_at <= previous)::int AS backward
    FROM (SELECT *, row_number() OVER (PARTITION BY stream ORDER BY n) - 1 AS place, lag(recorded_at) OVER (ORDER BY n) AS previous FROM log) AS l`);
  expect(rows).toEqual([{ length, head: length - 1, misplaced: 0, backward: 0 }]);
}

it('neither loses nor duplicates an event while its backends are killed', async () => {
  let appended = 0;
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    const stream = `s-${String(writer)}`;
    for (let revision = 0; revision < 40; revision++) {
      expect(await store(writer % 2).append(stream, before(revision), [event(stream, revision)])).toMatchObject({
        kind: 'appended',
        revision,
      });
      appended++;
    }
  });
  let writing = true;
  const done = Promise.all(writers).finally(() => (writing = false));
  let killed = 0;
  while (writing) {
    const { rowCount } = await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'watchledger events' AND datname = current_database()`,
    );
    killed += rowCount ?? 0;
    // A slow machine makes no append between two kills that follow at a fixed rate.
    const reached = appended;
    while (writing && appended === reached) await sleep(15);
  }
  await done;
  expect(killed).toBeGreaterThan(0);
  await expectWhole(16 * 40);
});

it('lets exactly one of two racing processes win each revision', async () => {
  const won = [0, 0];
  const racers = stores.map(async (racing, racer) => {
    for (let revision = 0; revision < 60; revision++) {
      const results = await Promise.all(
        ['a', 'b', 'c', 'd'].map((stream) => racing.append(stream, before(revision), [event(stream, revision, String(racer))])),
      );
      won[racer] = (won[racer] ?? 0) + results.filter(({ kind }) => kind === 'appended').length;
    }
  });
  await Promise.all(racers);
  expect((won[0] ?? 0) + (won[1] ?? 0)).toBe(240);
  await expectWhole(240);
});

it('records strictly growing times after the clock was set back', async () => {
  await store().append('s', 'no stream', [event('s', 0)]);
  await database.pool.query(`UPDATE log SET recorded_at = '2199-12-31T23:59:59.999999Z'`);
  await store().append('s', 0, [event('s', 1)]);
  await Promise.all(['t', 'u'].map((stream) => store().append(stream, 'no stream', [event(stream, 0), event(stream, 1)])));
  const { rows } = await database.pool.query<{ time: string }>(
    `SELECT (recorded_at AT TIME ZONE 'UTC')::text AS time FROM log ORDER BY n OFFSET 1`,
  );
  expect(rows.map(({ time }) => time)).toEqual(
    ['', '.000001', '.000002', '.000003', '.000004'].map((part) => `2200-01-01 00:00:00${part}`),
  );
  await expectWhole(6);
});

it('fails only the append that the database refuses, not the others of its batch', async () => {
  const taken = event('first', 0);
  await store().append('first', 'no stream', [taken]);
  const good = Array.from({ length: 6 }, (_, index) => `good-${String(index)}`);
  const busy = store().append('busy', 'no stream', [event('busy', 0)]);
  const bad = store().append('second', 'no stream', [taken]);
  const others = good.map((stream) => store().append(stream, 'no stream', [event(stream, 0), event(stream, 1)]));
  await expect(bad).rejects.toThrow(/duplicate key/);
  expect((await Promise.all([busy, ...others])).map(({ kind }) => kind)).toEqual(Array(7).fill('appended'));
  await expectWhole(14);
});

it('keeps the order of concurrent appends to one stream', async () => {
  const appends = Array.from({ length: 20 }, (_, revision) => store().append('s', before(revision), [event('s', revision)]));
  expect((await Promise.all(appends)).map(({ kind }) => kind)).toEqual(Array(20).fill('appended'));
  await expectWhole(20);
});

it('throws StoreUnavailable while the database is down, and accepts the retry once it is back', async () => {
  const behind = new URL(database.url);
  const proxy = await SeveringProxy.before(Number(behind.port));
  behind.port = String(proxy.address.port);
  const pool = openPool(behind.href, { name: 'events away' });
  const impatient = new PostgresEventStore(pool, new LocalWake(), 4_000);
  const append = () => impatient.append('s', 'no stream', [event('s', 0)]);
  proxy.refuse(true);
  await expect(append()).rejects.toThrow(StoreUnavailable);
  proxy.refuse(false);
  expect(await append()).toMatchObject({ kind: 'appended' });
  proxy.refuse(true);
  proxy.dropConnections();
  const again = append();
  await sleep(60);
  proxy.refuse(false);
  expect(await again).toMatchObject({ kind: 'appended', revision: 0 });
  await pool.end();
  await proxy.close();
  await expectWhole(1);
});

it('waits while the database is read-only, as during a failover', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await database.pool.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const pool = openPool(database.url, { name: 'events', max: 4 });
  try {
    const appending = new PostgresEventStore(pool, new LocalWake()).append('s', 'no stream', [event('s', 0)]);
    await Promise.race([appending, sleep(100)]);
    // Inside a read-write transaction, because the database's default is read-only.
    await database.pool.query(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`);
    await database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'watchledger events'`);
    expect(await appending).toMatchObject({ kind: 'appended', revision: 0 });
  } finally {
    await pool.end();
  }
  await expectWhole(1);
});

it.each(['repeatable read', 'serializable'])('keeps the order where the default isolation level is %s', async (level) => {
  const name = new URL(database.url).pathname.slice(1);
  await database.pool.query(`ALTER DATABASE ${name} SET default_transaction_isolation = '${level}'`);
  const strict = [1, 2].map(() => openPool(database.url, { name: 'events', max: 4 }));
  try {
    const writers = strict.map(async (pool, writer) => {
      const own = new PostgresEventStore(pool, new LocalWake());
      for (let revision = 0; revision < 50; revision++)
        await own.append(`s-${String(writer)}`, before(revision), [event(`s-${String(writer)}`, revision)]);
    });
    await Promise.all(writers);
  } finally {
    await Promise.all(strict.map((pool) => pool.end()));
    await database.pool.query(`ALTER DATABASE ${name} RESET default_transaction_isolation`);
  }
  await expectWhole(100);
});
