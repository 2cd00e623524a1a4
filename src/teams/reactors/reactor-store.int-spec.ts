import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { type PostgresLease, PostgresLeases } from '../../platform/postgres/postgres-leases.ts';
import { ConsumerStore } from '../../platform/consumers/consumer-store.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { ReactorNotFound, ReactorRuns, ReactorStore } from './reactor-store.ts';

let database: TestDatabase;
let leases: PostgresLeases;
let lease: PostgresLease | null;
let store: ReactorStore;

beforeAll(async () => {
  database = await createTestDatabase();
  leases = new PostgresLeases(database.url, new LocalWake());
  store = new ReactorStore(database.pool);
  lease = await leases.acquire('reactor one');
  await new ConsumerStore(database.pool).open('reactor one', () => Promise.resolve(-1), './package');
});
afterAll(async () => {
  await leases.close();
  await database.drop();
});

const status = async () => (await store.list())[0];

describe('the store of reactors', () => {
  it('refuses to remove a reactor that an instance runs', async () => {
    expect(await status()).toMatchObject({ name: 'one', state: 'live' });
    await expect(store.remove('one')).rejects.toThrow(ReactorRuns);
    await expect(store.remove('other')).rejects.toThrow(ReactorNotFound);
  });

  it('says that a reactor is stopped when no instance has run it for 30 s, and removes it', async () => {
    await lease?.release();
    expect(await status()).toMatchObject({ state: 'live' });
    await database.pool.query(`UPDATE lease SET heartbeat = heartbeat - interval '31 seconds'`);
    await store.setPaused('one', true);
    expect(await status()).toMatchObject({
      state: 'stopped',
      error: 'no instance with the role reactor has its package in PROJECTIONS',
    });
    await store.remove('one');
    expect(await store.list()).toEqual([]);
  });
});
