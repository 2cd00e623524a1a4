import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createObservationDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { type Inspection, InspectionStore } from './inspection-store.ts';

const SITE = '0123456789abcdef01234567';
const held = { name: 'eu-1', epoch: 3 };
const look = (at: number, finalUrl: string | null): Inspection => ({
  projectId: SITE,
  kind: 'redirect',
  at,
  url: 'http://site.example/',
  finalUrl,
});

let database: TestDatabase;
let looks: InspectionStore;
beforeAll(async () => {
  database = await createObservationDatabase();
  looks = new InspectionStore(database.pool);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('TRUNCATE latest_look, observation_fence');
  await database.pool.query(`INSERT INTO observation_fence (name, epoch) VALUES ('eu-1', 3)`);
});

describe('the latest inspection', () => {
  it('is not replaced by an older one that arrives late', async () => {
    expect(await looks.accept(held, look(20, 'https://site.example/'))).toBe(true);
    expect(await looks.accept(held, look(10, null))).toBe(true);
    expect(await looks.latest('redirect', [SITE, 'f'.repeat(24)])).toEqual(new Map([[SITE, look(20, 'https://site.example/')]]));
  });

  it('is refused from a process that lost the lease', async () => {
    expect(await looks.accept({ ...held, epoch: 2 }, look(20, null))).toBe(false);
    expect((await looks.latest('redirect', [SITE])).size).toBe(0);
  });
});
