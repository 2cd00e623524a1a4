import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../test/support/database.ts';
import { KurrentDbDouble } from '../../../test/support/kurrentdb-double/kurrentdb-double.ts';
import { sampleEvent } from '../../../test/support/kurrentdb-double/sample-events.ts';
import { PostgresLeases } from '../postgres/postgres-leases.ts';
import { LocalWake } from '../postgres/wake.ts';
import { KurrentDbEventStore } from '../event-store/kurrentdb/kurrentdb-event-store.ts';
import { MirrorWatch } from './mirror-watch.ts';
import { Mirror } from './mirror.ts';

let database: TestDatabase;
let double: KurrentDbDouble;
let store: KurrentDbEventStore;
let leases: PostgresLeases;
let watch: MirrorWatch;
let mirror: Mirror;
const wake = new LocalWake();

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  double = await KurrentDbDouble.start();
  store = new KurrentDbEventStore(double.url, { attemptMs: 2_000, silenceMs: 200, identityMs: 300 });
  leases = new PostgresLeases(database.url, wake);
  const { pool } = database;
  mirror = new Mirror({ source: store, pool, wake, leases, report: () => undefined, retryMs: 50 });
  watch = new MirrorWatch({ source: store, pool, wake, intervalMs: 20 });
  watch.start();
  await append(0);
});
afterEach(async () => {
  await watch.close();
  await mirror.close();
  await leases.close();
  await store.close();
  await double.stop();
});
afterAll(() => database.drop());

const append = (revision: number): Promise<unknown> =>
  store.append('project-a', revision === 0 ? 'no stream' : revision - 1, [sampleEvent('project-a', revision)]);

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 90_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`still ${String(watch.lagSeconds)} s behind`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('the lag of the mirror', () => {
  it('grows while no mirror runs, and is zero once the events are mirrored', async () => {
    await until(() => watch.lagSeconds > 0.4);
    mirror.start();
    await until(() => watch.lagSeconds === 0);
    await mirror.close();
    await append(1);
    await until(() => watch.lagSeconds > 0.2);
  });

  it('is infinite when log and store hold different histories', async () => {
    mirror.start();
    await until(() => mirror.status.n === 0 && watch.lagSeconds === 0);
    await double.restart({ keepState: false });
    await until(() => watch.lagSeconds > 0.2);
    await database.pool.query('UPDATE log SET id = gen_random_uuid()');
    await double.restart({ keepState: false });
    await append(0);
    const { position } = double.events[0] ?? { position: 0n };
    const place = String(position).padStart(20, '0');
    await database.pool.query('UPDATE log SET source_position = $1', [`${place}:${place}`]);
    await until(() => watch.lagSeconds === Infinity);
  });
});
