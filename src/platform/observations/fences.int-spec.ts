import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createObservationDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { ObservationFences, raisedFences } from './fences.ts';

let database: TestDatabase;
let fences: ObservationFences;
beforeAll(async () => {
  database = await createObservationDatabase();
  fences = new ObservationFences(database.pool);
});
beforeEach(() => database.pool.query('TRUNCATE observation_fence'));
afterAll(() => database.drop());

const holds = async (name: string, epoch: number): Promise<boolean> =>
  (await database.pool.query(raisedFences('$1', '$2'), [[name], [epoch]])).rowCount === 1;

it('holds for the epoch that was raised last, and for no other', async () => {
  await fences.raise({ name: 'eu', epoch: 5 });
  await fences.raise({ name: 'us', epoch: 7 });
  expect([await holds('eu', 5), await holds('eu', 7), await holds('us', 7)]).toEqual([true, false, true]);
  await fences.raise({ name: 'eu', epoch: 6 });
  expect([await holds('eu', 5), await holds('eu', 6)]).toEqual([false, true]);
});

it('is not lowered, and may be raised again by its owner', async () => {
  await fences.raise({ name: 'eu', epoch: 6 });
  await expect(fences.raise({ name: 'eu', epoch: 5 })).rejects.toThrow('the fence of eu was raised above epoch 5');
  await fences.raise({ name: 'eu', epoch: 6 });
  expect(await holds('eu', 6)).toBe(true);
});

it('is raised after a write in progress has ended', async () => {
  await fences.raise({ name: 'eu', epoch: 5 });
  const writer = await database.pool.connect();
  await writer.query('BEGIN');
  await writer.query(raisedFences('$1', '$2'), [['eu'], [5]]);
  let isRaised = false;
  const raising = fences.raise({ name: 'eu', epoch: 6 }).then(() => (isRaised = true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isRaised).toBe(false);
  await writer.query('COMMIT');
  writer.release();
  await raising;
});
