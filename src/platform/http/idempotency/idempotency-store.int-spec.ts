import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { IdempotencyStore, type KeyUse } from './idempotency-store.ts';

const KEY = '6f1a0f2e-6a55-4a3b-9d0c-0f5c7c7f3a11';

let database: TestDatabase;
let pool: pg.Pool;
let store: IdempotencyStore;
beforeAll(async () => {
  database = await createTestDatabase();
  // Replaces the clock of the database.
  await database.pool.query(`
    CREATE SCHEMA later;
    CREATE TABLE later.hours AS SELECT 0 AS ahead;
    CREATE FUNCTION later.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
      SELECT timestamptz '2026-11-21T12:00:00Z' + ahead * interval '1 hour' FROM later.hours $$`);
  pool = new pg.Pool({ connectionString: database.url, options: '-c search_path=later,pg_catalog,public' });
  store = new IdempotencyStore(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await database.pool.query('TRUNCATE idempotency');
  await hoursLater(0);
});

const hoursLater = (hours: number): Promise<unknown> => database.pool.query('UPDATE later.hours SET ahead = $1', [hours]);

function commandOf(use: KeyUse): string {
  if (!('commandId' in use)) throw new Error(`no command is executed for a key that is ${use.kind}`);
  return use.commandId;
}

describe('an idempotency key', () => {
  it('names one command for 24 hours', async () => {
    const first = await store.recordUse(KEY, 'hash');
    await hoursLater(23);
    expect(await store.recordUse(KEY, 'hash')).toEqual({ kind: 'unanswered', commandId: commandOf(first) });
    await store.storeAnswer(KEY, { status: 200, contentType: 'application/json', body: 'sealed' });
    expect((await store.recordUse(KEY, 'hash')).kind).toBe('answered');
  });

  it.each([26, 47, 24 * 400])('names a new command %s hours later, whether or not the row of its first use was deleted', async (hours) => {
    const first = commandOf(await store.recordUse(KEY, 'hash'));
    await hoursLater(hours);
    await store.deleteExpired();
    expect(commandOf(await store.recordUse(KEY, 'another hash'))).not.toBe(first);
  });

  it('knows where the log ended at its first use, once every key of the last day is known', async () => {
    await database.pool.query(
      `SELECT append_one('s', (SELECT coalesce(max(revision), -1) FROM log WHERE stream = 's'), gen_random_uuid(), 'T', 1::smallint, 's', '{}', '{}')`,
    );
    const keyOf = (number: number): string => KEY.replace(/1$/, String(number));
    expect(await store.recordUse(keyOf(1), 'hash')).not.toHaveProperty('firstTriedAfter');
    await store.deleteExpired();
    expect(await store.recordUse(keyOf(2), 'hash')).not.toHaveProperty('firstTriedAfter');
    await hoursLater(26);
    await store.deleteExpired();
    expect(await store.recordUse(keyOf(3), 'hash')).toMatchObject({ kind: 'first', firstTriedAfter: '0' });
    expect(await store.recordUse(keyOf(3), 'hash')).toMatchObject({ kind: 'unanswered', firstTriedAfter: '0' });
  });

  it('names the same command when its row was lost in between', async () => {
    const first = commandOf(await store.recordUse(KEY, 'hash'));
    await database.pool.query('TRUNCATE idempotency');
    expect(commandOf(await store.recordUse(KEY, 'hash'))).toBe(first);
  });

  it('names a new command each time it is used again after a day', async () => {
    const commands = new Set<string>();
    for (let times = 0; times < 8; times++) {
      await hoursLater(times * 25);
      commands.add(commandOf(await store.recordUse(KEY, 'hash')));
    }
    expect(commands.size).toBe(8);
  });
});
