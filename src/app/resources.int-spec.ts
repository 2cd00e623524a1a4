import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { loadConfig } from '../platform/config/config.ts';
import { openResources, type Resources } from './resources.ts';

let database: TestDatabase;
let resources: Resources;
beforeAll(async () => {
  database = await createTestDatabase();
  const config = loadConfig({ DATABASE_URL: database.url, MASTER_KEY: randomBytes(32).toString('hex') }, '/');
  resources = await openResources(config, database.url, pino({ level: 'silent' }));
});
afterAll(async () => {
  await resources.close();
  await database.drop();
});

it('commits synchronously, so that a crash of the database reverts nothing that was read', async () => {
  for (const pool of [resources.viewPool, resources.pool]) {
    const { rows } = await pool.query<{ synchronous_commit: string }>('SHOW synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: 'on' }]);
  }
});
