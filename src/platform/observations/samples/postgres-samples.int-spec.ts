import { afterAll, beforeAll, describe } from '@jest/globals';
import { createObservationDatabase, type ObservationDatabase } from '../../../../test/support/database.ts';
import { ObservationFences } from '../fences.ts';
import { PostgresSamples } from './postgres-samples.ts';
import { LEASES, sampleStoreContract } from './samples.contract.ts';

describe.each([1, 4])('in %i schemas', (count) => {
  let database: ObservationDatabase;
  beforeAll(async () => {
    database = await createObservationDatabase(count);
  });
  afterAll(() => database.drop());

  sampleStoreContract(async () => {
    await database.truncate('sample_flush', 'sample_hour', 'observation_fence');
    const fences = new ObservationFences(database.pool);
    for (const name of LEASES) await fences.raise({ name, epoch: 1 });
    return new PostgresSamples(database.pool, { pastMs: 1e12, futureMs: 1e12 });
  });
});
