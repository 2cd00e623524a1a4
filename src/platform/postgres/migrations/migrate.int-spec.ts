import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fill } from '../../../../test/support/backup-world.ts';
import { createEmptyDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADVISORY_LOCKS } from '../advisory-locks.ts';
import { migrate, migrations } from '../../../app/migration-table.ts';
import { refuseLaterSchema, runMigrations } from './migrate.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
beforeEach(() => database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
afterAll(() => database.drop());

const rows = async (query: string): Promise<readonly object[]> => (await database.pool.query<object>(query)).rows;

describe('migrating a database', () => {
  it('runs each migration once, also when several instances start together', async () => {
    const done = await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
    expect(done.flat()).toEqual(migrations.map(({ name }) => name));
    expect(await rows('SELECT name FROM migrations ORDER BY id')).toEqual(migrations.map(({ name }) => ({ name })));
    expect(await migrate(database.url)).toEqual([]);
  });

  it('waits for another instance longer than the limits that an operator has set', async () => {
    await migrate(database.url);
    const { rows: names } = await database.pool.query<{ name: string }>('SELECT current_database() AS name');
    const name = names[0]?.name ?? '';
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
});

/** Nothing is released yet: what a later version could add to this one. */
describe('a second version', () => {
  const added = {
    name: 'AddHints1800000000000',
    sql: `ALTER TABLE passwords ADD COLUMN hint text NOT NULL DEFAULT 'none';
      CREATE TABLE hint_use AS SELECT user_id, hint FROM passwords`,
  };
  const second = [...migrations, added];

  beforeEach(async () => {
    await migrate(database.url);
    await fill(database);
  });

  it('runs only what it adds, once, when several instances of it start together, and keeps every row', async () => {
    const kept = ['log', 'sample_hour', 'run_flush', 'claim', 'subject_keys', 'ledger_key'];
    const contents = () => Promise.all(kept.map((table) => rows(`SELECT t::text AS row FROM ${table} AS t ORDER BY 1`)));
    const before = await contents();
    const done = await Promise.all(Array.from({ length: 3 }, () => runMigrations(database.url, second)));
    expect(done.flat()).toEqual([added.name]);
    expect(before.flat().length).toBeGreaterThan(300);
    expect(await contents()).toEqual(before);
    expect(await rows('SELECT user_id, hash, hint FROM passwords ORDER BY user_id')).toEqual([
      { user_id: 1, hash: 'hash', hint: 'none' },
      { user_id: 2, hash: 'hash', hint: 'none' },
    ]);
  });

  it('leaves nothing of a migration that fails behind, and runs it again', async () => {
    const failing = { ...added, sql: `${added.sql}; SELECT 1 / 0` };
    await expect(runMigrations(database.url, [...migrations, failing])).rejects.toThrow('division by zero');
    expect(await rows(`SELECT to_regclass('hint_use') AS made`)).toEqual([{ made: null }]);
    expect(await migrate(database.url)).toEqual([]);
    expect(await runMigrations(database.url, second)).toEqual([added.name]);
    expect(await rows('SELECT count(*)::int AS made FROM hint_use')).toEqual([{ made: 2 }]);
  });

  it('has a schema that this version refuses', async () => {
    await runMigrations(database.url, second);
    const line = `the schema of the database is newer than this program (${added.name}): start the version that created it, or a later one`;
    await expect(migrate(database.url)).rejects.toThrow(line);
    await expect(refuseLaterSchema(database.url, migrations)).rejects.toThrow(line);
  });
});
