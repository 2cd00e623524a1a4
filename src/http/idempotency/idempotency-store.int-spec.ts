import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { IdempotencyStore, type Seen } from './idempotency-store.ts';

const KEY = '6f1a0f2e-6a55-4a3b-9d0c-0f5c7c7f3a11';

let database: TestDatabase;
let pool: pg.Pool;
let store: IdempotencyStore;
beforeAll(async () => {
  database = await createTestDatabase();
  // The database's own clock, as the test says.
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

function commandOf(seen: Seen): string {
  if (!('commandId' in seen)) throw new Error(`nothing is carried out for what was ${seen.kind}`);
  return seen.commandId;
}

describe('the key of a write', () => {
  it('is one command for a day', async () => {
    const first = await store.begin(KEY, 'hash');
    await hoursLater(23);
    expect(await store.begin(KEY, 'hash')).toEqual({ kind: 'unanswered', commandId: commandOf(first) });
    await store.answered(KEY, { status: 200, contentType: 'application/json', body: 'sealed' });
    expect((await store.begin(KEY, 'hash')).kind).toBe('answered');
  });

  it.each([26, 47, 24 * 400])('is a new command %s hours later, whether or not its first use was forgotten', async (hours) => {
    const first = commandOf(await store.begin(KEY, 'hash'));
    await hoursLater(hours);
    await store.forgetOld();
    expect(commandOf(await store.begin(KEY, 'another hash'))).not.toBe(first);
  });

  it('is the same command where the database lost, a moment later, that it was ever seen', async () => {
    const first = commandOf(await store.begin(KEY, 'hash'));
    await database.pool.query('TRUNCATE idempotency');
    expect(commandOf(await store.begin(KEY, 'hash'))).toBe(first);
  });

  it('is a new command each time that it comes back after a day', async () => {
    const commands = new Set<string>();
    for (let times = 0; times < 8; times++) {
      await hoursLater(times * 25);
      commands.add(commandOf(await store.begin(KEY, 'hash')));
    }
    expect(commands.size).toBe(8);
  });
});
