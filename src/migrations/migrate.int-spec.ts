import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADVISORY_LOCKS } from '../persistence/advisory-locks.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migration-table.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('migrating a database', () => {
  it('does nothing when the schema is current', async () => {
    expect(await migrate(database.url)).toEqual([]);
  });

  it('runs each migration once, also when several instances start together', async () => {
    await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const done = await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
    expect(done.flat()).toEqual(migrations.map(({ name }) => name));
  });

  it('waits for another instance longer than the limits that an operator has set', async () => {
    const { rows } = await database.pool.query<{ name: string }>('SELECT current_database() AS name');
    const name = rows[0]?.name ?? '';
    for (const limit of ['statement_timeout', 'lock_timeout']) await database.pool.query(`ALTER DATABASE ${name} SET ${limit} = '100ms'`);
    const other = await database.pool.connect();
    try {
      await other.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations]);
      const waiting = migrate(database.url);
      await sleep(500);
      await other.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.migrations]);
      expect(await waiting).toEqual([]);
    } finally {
      other.release();
      for (const limit of ['statement_timeout', 'lock_timeout']) await database.pool.query(`ALTER DATABASE ${name} RESET ${limit}`);
    }
  });

  it('runs the migrations that a new version adds', async () => {
    const last = migrations.at(-1)?.name ?? '';
    const { rows } = await database.pool.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    expect(rows.at(-1)?.name).toBe(last);
    await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await migrate(database.url);
    await database.pool.query('DELETE FROM migrations WHERE name = $1', ['CreateWriteProbe1700000023000']);
    // Forward only: it runs again, and its objects exist already.
    await expect(migrate(database.url)).rejects.toThrow(/already exists/);
  });
});
