import { afterAll, beforeAll } from '@jest/globals';
import { createObservationDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { PostgresSamples } from './postgres-samples.ts';
import { LEASE, sampleStoreContract } from './samples.contract.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createObservationDatabase();
});
afterAll(() => database.drop());

sampleStoreContract(async () => {
  await database.pool.query('TRUNCATE sample_flush, sample_hour, observation_fence');
  await database.pool.query(`INSERT INTO observation_fence (name, epoch) VALUES ($1, 1)`, [LEASE]);
  return new PostgresSamples(database.pool, { pastMs: 1e12, futureMs: 1e12 });
});
