import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
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

  it('runs the migrations that a new version adds', async () => {
    const last = migrations.at(-1)?.name ?? '';
    const { rows } = await database.pool.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    expect(rows.at(-1)?.name).toBe(last);
    await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await migrate(database.url);
    await database.pool.query('DELETE FROM migrations WHERE name = $1', [last]);
    // Forward only: it runs again, and its objects exist already.
    await expect(migrate(database.url)).rejects.toThrow(/already exists/);
  });
});
