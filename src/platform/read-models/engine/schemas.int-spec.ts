import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { ensureSchema, publishSchema } from './schemas.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('shows a table whose name is SQL, and executes nothing of it', async () => {
  const { pool } = database;
  const name = 'x" AS SELECT 1;GRANT ALL ON passwords TO PUBLIC;--';
  const createTables = async (client: { query(text: string): Promise<unknown> }): Promise<void> => {
    await client.query(`CREATE TABLE p_odd_v1."${name.replace('"', '""')}" (n int)`);
  };
  await ensureSchema(pool, { schema: 'p_odd_v1', name: 'odd', version: '1', createTables });
  await publishSchema(pool, 'p_odd_v1', 'p_odd');
  const { rows } = await pool.query(`SELECT viewname FROM pg_views WHERE schemaname = 'p_odd'`);
  expect(rows).toEqual([{ viewname: name }]);
  const granted = await pool.query(
    `SELECT FROM information_schema.role_table_grants WHERE table_name = 'passwords' AND grantee = 'PUBLIC'`,
  );
  expect(granted.rowCount).toBe(0);
});
