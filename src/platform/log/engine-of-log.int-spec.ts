import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { append, eventOf } from '../../../test/support/backup-world.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { refuseOtherEngine } from './engine-of-log.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('the engine of a log', () => {
  it('accepts either engine while empty, then only the one that wrote first', async () => {
    const { pool } = database;
    for (const engine of ['postgres', 'kurrentdb'] as const) await refuseOtherEngine(pool, engine);
    await append(database, [eventOf('project-a', 'ProjectRenamed')]);
    await refuseOtherEngine(pool, 'postgres');
    await expect(refuseOtherEngine(pool, 'kurrentdb')).rejects.toThrow('start without EVENTSTORE_URL');
    await pool.query(`UPDATE log SET source_position = lpad('7', 20, '0') || ':' || lpad('7', 20, '0')`);
    await refuseOtherEngine(pool, 'kurrentdb');
    await expect(refuseOtherEngine(pool, 'postgres')).rejects.toThrow('set EVENTSTORE_URL');
  });
});
