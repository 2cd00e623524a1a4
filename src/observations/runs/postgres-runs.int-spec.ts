import { afterAll, beforeAll, describe } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { Repacking } from '../packs/repack.ts';
import { PostgresRuns } from './postgres-runs.ts';
import { runKind } from './run.codec.ts';
import type { RunStore } from './run-store.ts';
import { LEASE, runStoreContract } from './runs.contract.ts';

const always = { pastMs: 1e12, futureMs: 1e12 };
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function fresh(): Promise<PostgresRuns> {
  await database.pool.query('TRUNCATE run_flush, run_hour, latest_run, job_run, lease');
  await database.pool.query(`INSERT INTO lease (name, holder, epoch, heartbeat, pid) VALUES ($1, 'a', 1, now(), 1)`, [LEASE]);
  return new PostgresRuns(database.pool, always);
}

describe('as flushed', () => {
  runStoreContract(fresh);
});

describe('as repacked', () => {
  runStoreContract(async (): Promise<RunStore> => {
    const store = await fresh();
    const repacking = new Repacking(database.pool, runKind);
    return Object.assign(store, {
      accept: async (batches: Parameters<RunStore['accept']>[0]) => {
        const taken = await PostgresRuns.prototype.accept.call(store, batches);
        await repacking.repack(0);
        return taken;
      },
    });
  });
});
