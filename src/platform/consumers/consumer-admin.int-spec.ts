import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../test/support/database.ts';
import { type PostgresLease, PostgresLeases } from '../postgres/postgres-leases.ts';
import { LocalWake } from '../postgres/wake.ts';
import { NothingParked } from '../read-models/admin/projection-admin.ts';
import { SpecLog } from '../read-models/testing/spec-log.ts';
import { ConsumerAdmin, ConsumerNotFound, ConsumerRuns } from './consumer-admin.ts';
import { ConsumerStore } from './consumer-store.ts';

const REACTOR = { name: 'reactor:one', about: 'a reactor of ./package', package: './package' };
const ALERTS = { name: 'alerts', about: 'alerts and notices to people' };

let database: TestDatabase;
let leases: PostgresLeases;
let held: readonly (PostgresLease | null)[];
let store: ConsumerStore;
let admin: ConsumerAdmin;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  leases = new PostgresLeases(database.url, new LocalWake());
  admin = new ConsumerAdmin(database.pool);
  store = new ConsumerStore(database.pool);
  held = await Promise.all([REACTOR, ALERTS].map(({ name }) => leases.acquire(name)));
  for (const consumer of [REACTOR, ALERTS]) await store.open(consumer, () => Promise.resolve(-1));
});
afterAll(async () => {
  await leases.close();
  await database.drop();
});

async function stop(): Promise<void> {
  for (const lease of held) await lease?.release();
  await database.pool.query(`UPDATE lease SET heartbeat = heartbeat - interval '31 seconds'`);
}

describe('the table of consumers', () => {
  it('lists those of the service, then reactors, and how far each has come', async () => {
    const log = new SpecLog(database.pool);
    await log.append('project-a', 'ProjectDeleted', { title: '', url: '' });
    expect(await admin.list()).toEqual([
      { ...ALERTS, package: null, state: 'live', position: -1, head: 0, gap: 1, lag: expect.any(Number), parked: 0 },
      { ...REACTOR, state: 'live', position: -1, head: 0, gap: 1, lag: expect.any(Number), parked: 0 },
    ]);
    await store.move('alerts', -1, { n: 0, id: randomUUID() });
    expect((await admin.list())[0]).toMatchObject({ position: 0, gap: 0, lag: 0 });
  });

  it('says which is paused, which has failed, and which no instance has run for 30 s', async () => {
    await admin.setPaused('alerts', true);
    await store.noteError('reactor:one', 'it is another log');
    const states = async () => (await admin.list()).map(({ state, error }) => [state, error]);
    expect(await states()).toEqual([
      ['paused', undefined],
      ['failed', 'it is another log'],
    ]);
    await stop();
    expect(await states()).toEqual([
      ['stopped', 'no instance with the role reactor runs it'],
      ['stopped', 'no instance with the role reactor has its package in PROJECTIONS'],
    ]);
  });

  it('removes a reactor that no instance runs, and no consumer of the service', async () => {
    await expect(admin.remove('reactor:one')).rejects.toThrow(ConsumerRuns);
    await stop();
    await admin.remove('reactor:one');
    await expect(admin.remove('alerts')).rejects.toThrow(ConsumerRuns);
    expect((await admin.list()).map(({ name }) => name)).toEqual(['alerts']);
  });

  it('refuses what concerns an unknown consumer or event', async () => {
    await expect(admin.remove('other')).rejects.toThrow(ConsumerNotFound);
    await expect(admin.setPaused('other', true)).rejects.toThrow(ConsumerNotFound);
    await expect(admin.moveTo('other', 0)).rejects.toThrow(ConsumerNotFound);
    await expect(admin.parked('other')).rejects.toThrow(ConsumerNotFound);
    await expect(admin.retry('alerts', randomUUID())).rejects.toThrow(NothingParked);
    await expect(admin.skip('alerts', 'x')).rejects.toThrow(NothingParked);
  });
});
