import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { watchledger } from '../../support/command-line.ts';
import { createTestDatabase } from '../../support/database.ts';
import { Program } from '../../support/program.ts';

describe('a schema of a later version', () => {
  it('is refused by the start and the commands with one line', async () => {
    const database = await createTestDatabase();
    try {
      await database.pool.query(`INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'FromTheFuture9999999999999')`);
      const env = { DATABASE_URL: database.url, MASTER_KEY: '5a'.repeat(32), PORT: '0' };
      const line = /^watchledger: the schema of the database is newer than this program \(FromTheFuture\d+\): [^\n]+\n$/;
      expect(await new Program(env, tmpdir()).ended).toMatchObject({ status: 1, err: expect.stringMatching(line) });
      expect(await watchledger(env, 'accounts', 'list').ran).toMatchObject({ status: 1, out: '', err: expect.stringMatching(line) });
    } finally {
      await database.drop();
    }
  });
});
