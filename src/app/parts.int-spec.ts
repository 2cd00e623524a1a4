import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { loadConfig } from '../platform/config/config.ts';
import { openParts, type Parts } from './parts.ts';

let database: TestDatabase;
let parts: Parts;
beforeAll(async () => {
  database = await createTestDatabase();
  const config = loadConfig({ DATABASE_URL: database.url, MASTER_KEY: randomBytes(32).toString('hex') }, '/');
  parts = await openParts(config, database.url, pino({ level: 'silent' }));
});
afterAll(async () => {
  await parts.close();
  await database.drop();
});

it('commits synchronously, so that a crash of the database reverts nothing that was read', async () => {
  for (const pool of [parts.viewPool, parts.pool]) {
    const { rows } = await pool.query<{ synchronous_commit: string }>('SHOW synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: 'on' }]);
  }
});
