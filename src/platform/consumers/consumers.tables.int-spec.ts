import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { SpecLog } from '../read-models/testing/spec-log.ts';
import { ConsumerStore } from './consumer-store.ts';
import { CONSUMER_TABLES } from './consumers.tables.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('takes over the checkpoints and parked events of the tables that each kind of consumer had before', async () => {
  const { pool } = database;
  const log = new SpecLog(pool);
  for (const to of ['one', 'two']) await log.append('project-a', 'ProjectRenamed', { from: '', to });
  await pool.query(`DROP TABLE consumer_parked, consumer;
    CREATE TABLE notifier_checkpoint (singleton boolean PRIMARY KEY DEFAULT true, n bigint NOT NULL);
    CREATE TABLE process_checkpoint (name text PRIMARY KEY, n bigint NOT NULL);
    CREATE TABLE notifier_set_aside (n bigint PRIMARY KEY, scope text NOT NULL, since timestamptz NOT NULL DEFAULT now());
    CREATE TABLE team_reactor (name text PRIMARY KEY, package text NOT NULL, n bigint NOT NULL, event_id uuid, paused boolean NOT NULL DEFAULT false,
      error text, moved_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE team_reactor_parked (reactor text, scope text, n bigint, event_id uuid, type text, error text, attempts integer,
      parked_at timestamptz DEFAULT now(), retry_at timestamptz);
    INSERT INTO notifier_checkpoint (n) VALUES (1);
    INSERT INTO process_checkpoint VALUES ('status notices', 0);
    INSERT INTO notifier_set_aside (n, scope) VALUES (0, 'project-a'), (1, 'project-a');
    INSERT INTO team_reactor (name, package, n) VALUES ('invoicing', './invoicing', 1);
    INSERT INTO team_reactor_parked SELECT 'invoicing', scope, n, id, type, 'refused', 3 FROM log WHERE n = 1;`);
  await pool.query(CONSUMER_TABLES);
  const store = new ConsumerStore(pool);
  const positions = await Promise.all(['notifier', 'status notices', 'reactor invoicing'].map(async (name) => (await store.read(name))?.n));
  expect(positions).toEqual([1, 0, 1]);
  expect(await store.parked('notifier')).toMatchObject([{ scope: 'project-a', n: 0, type: 'ProjectRenamed' }]);
  expect(await store.parked('reactor invoicing')).toMatchObject([{ scope: 'project-a', n: 1, error: 'refused', attempts: 3 }]);
  expect(await store.deadLetters()).toMatchObject({ events: 2, scopes: 1 });
  expect((await pool.query(`SELECT to_regclass('notifier_checkpoint') AS former`)).rows).toEqual([{ former: null }]);
});
