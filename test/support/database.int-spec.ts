import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from './database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('clones a migrated, empty database', async () => {
  const { rows } = await database.pool.query('SELECT count(*)::int AS events FROM log');
  expect(rows).toEqual([{ events: 0 }]);
});
