import { afterAll, beforeAll } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/until.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { PostgresEventStore } from '../../platform/event-store/postgres/postgres-event-store.ts';
import { systemClock } from '../../kernel/clock.ts';
import { PostgresLog } from '../../platform/log/postgres-log.ts';
import { PostgresRuns } from '../../platform/observations/runs/postgres-runs.ts';
import { viewUnit } from '../../platform/read-models/views/unit.ts';
import { viewLifecycle } from '../../platform/read-models/views/view-lifecycle.ts';
import { UnitViews } from '../../platform/read-models/views/unit-views.ts';
import { ReadYourWrites } from '../../platform/read-models/engine/read-your-writes.ts';
import { coreViews } from '../../app/projection-table.ts';
import { runsWithoutVerdictContract } from './runs-without-verdict.contract.ts';

let database: TestDatabase;
let log: PostgresLog;
let readYourWrites: ReadYourWrites;
let folding: Promise<void>;
const wake = new LocalWake();
const stop = new AbortController();
const unit = viewUnit('core', coreViews);
beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database;
  await pool.query(`INSERT INTO observation_fence (name, epoch) VALUES ('eu-1', 1)`);
  log = new PostgresLog(pool, wake);
  readYourWrites = new ReadYourWrites({ schema: unit.schema, db: pool, log, wake, clock: systemClock });
  folding = viewLifecycle({ unit, log, db: pool, wake, readYourWrites, report: () => undefined }).run(stop.signal);
  await readYourWrites.start();
});
afterAll(async () => {
  stop.abort();
  await folding;
  await readYourWrites.close();
  await wake.close();
  await database.drop();
});

runsWithoutVerdictContract(() =>
  Promise.resolve({
    store: new PostgresEventStore(database.pool, wake),
    // The runs of the contract lie in the past.
    runs: new PostgresRuns(database.pool, { pastMs: 1e12, futureMs: 1e12 }),
    events: () => log.read({ after: -1, limit: 10_000 }),
    views: async () => {
      await until(async () => readYourWrites.position() >= (await log.head()), 60_000, 'the views have caught up with the log');
      return new UnitViews(unit, log, database.pool, () => readYourWrites.position()).now();
    },
  }),
);
