import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/until.ts';
import { LogDamaged } from '../event-store/lazy-event.ts';
import { LocalWake } from '../postgres/wake.ts';
import { PostgresEventStore } from '../event-store/postgres/postgres-event-store.ts';
import { logContract } from './log.contract.ts';
import { NotInLogYet } from './log.ts';
import { PostgresLog } from './postgres-log.ts';

logContract('postgres', async () => {
  const { pool, drop } = await createTestDatabase();
  const wake = new LocalWake();
  return { store: new PostgresEventStore(pool, wake), log: new PostgresLog(pool, wake), close: drop };
});

let database: TestDatabase;
let log: PostgresLog;
beforeAll(async () => {
  database = await createTestDatabase();
  log = new PostgresLog(database.pool, new LocalWake());
  // As the mirror writes them: positions of the other engine, which sort as text.
  await database.pool.query(`
    INSERT INTO log SELECT n, lpad((n * 100)::text, 20, '0') || ':' || lpad((n * 100)::text, 20, '0'), gen_random_uuid(), 's', n, 'T', 1, 'system',
      '2026-11-21T12:00:00.5Z'::timestamptz + n * interval '1 second', '{}', '{}' FROM generate_series(0, 999) AS n`);
});
afterAll(() => database.drop());

const place = (position: number): string => `${String(position).padStart(20, '0')}:${String(position).padStart(20, '0')}`;

it('locates positions of the other engine, near the head and far behind', async () => {
  const soon = Date.now() + 60_000;
  for (const n of [999, 998, 997, 500, 1, 0]) expect(await log.locate(place(n * 100), soon)).toBe(n);
  expect(await log.locate(place(50_001), soon)).toBe(500);
});

it('waits for a position that is not mirrored yet, until the deadline', async () => {
  await expect(log.locate(place(100_000), Date.now() + 60)).rejects.toThrow(NotInLogYet);
  const waiting = log.locate(place(100_000), Date.now() + 60_000);
  await database.pool.query(`INSERT INTO log VALUES (1000, $1, gen_random_uuid(), 's', 1000, 'T', 1, 'system', '2027-01-01', '{}', '{}')`, [
    place(100_000),
  ]);
  expect(await waiting).toBe(1000);
});

it('returns times with six fractional digits in every session time zone', async () => {
  const [first] = await log.read({ after: -1, limit: 1 });
  expect(first?.recordedAt).toBe('2026-11-21T12:00:00.500000Z');
});

it('reads the log once for all followers that one ring wakes, and not again behind a page', async () => {
  const wake = new LocalWake();
  const { pool } = database;
  const followed = new PostgresLog(pool, wake);
  const stop = new AbortController();
  const heard: number[] = [];
  const head = await followed.head();
  const queries = jest.spyOn(pool, 'query');
  const reads = (): number => queries.mock.calls.filter(([query]) => (query as { readonly name?: string }).name === 'read_log').length;
  const followers = Array.from({ length: 5 }, async () => {
    for await (const page of followed.follow(head, stop.signal)) heard.push(...page.map(({ n }) => n));
  });
  await until(() => Promise.resolve(reads() > 0 && pool.idleCount === pool.totalCount), 10_000, 'they wait at the end');
  await pool.query(`INSERT INTO log VALUES ($1, $2, gen_random_uuid(), 's', $1, 'T', 1, 'system', '2027-01-02', '{}', '{}')`, [
    head + 1,
    place(200_000),
  ]);
  wake.ring('log');
  await until(() => Promise.resolve(heard.length === 5), 10_000, 'all hear it');
  // The first was that of the end.
  expect([heard, reads()]).toEqual([Array.from({ length: 5 }, () => head + 1), 2]);
  stop.abort();
  await Promise.all(followers);
  queries.mockRestore();
});

it('names a damaged event and the position of a gap', async () => {
  await database.pool.query(`UPDATE log SET data = '{"a": ' WHERE n = 700`);
  await expect(log.read({ after: 690, limit: 100 })).rejects.toThrow('event 700 of the log is damaged: its text is not JSON');
  await database.pool.query(`DELETE FROM log WHERE n = 800`);
  const reading = async () => {
    for await (const page of log.follow(790, new AbortController().signal, 10)) expect(page.length).toBeGreaterThan(0);
  };
  await expect(reading()).rejects.toThrow(LogDamaged);
});
