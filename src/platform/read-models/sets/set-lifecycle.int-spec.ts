import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { isRelease, thorough } from '../../../../test/support/thorough.ts';
import { openPool } from '../../postgres/pool.ts';
import { PostgresLeases } from '../../postgres/postgres-leases.ts';
import { PostgresWake } from '../../postgres/wake-postgres.ts';
import { defineProjection, type Projection } from '../authoring/define-projection.ts';
import { LeasedLoop } from '../../postgres/leased-loop.ts';
import { occurred, projectionSpec } from '../testing/projection-spec.ts';
import { setLifecycle, setTarget } from './set-lifecycle.ts';
import { localSetWork } from './set-work.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { runnerLeaseOf, schemaOf } from '../engine/schema-names.ts';

let poison = 'POISON';

const renames = (version: number, weight = 1): Projection =>
  defineProjection({
    name: 'renames',
    version,
    tables: [
      'CREATE TABLE by_title (title text PRIMARY KEY, times bigint NOT NULL)',
      'CREATE TABLE last (project text PRIMARY KEY, title text)',
    ],
    on: {
      ProjectRenamed: async ({ data, scope }, tx) => {
        tx.add('by_title', { title: data.to }, { times: weight });
        if (data.to === poison) throw new Error('this title cannot be taken');
        if (data.to === 'BAD SQL') await tx.query('SELECT * FROM nowhere');
        await tx.query('INSERT INTO last VALUES ($1, $2) ON CONFLICT (project) DO UPDATE SET title = excluded.title', [scope, data.to]);
      },
    },
  });

let database: TestDatabase;
let log: SpecLog;
let wake: PostgresWake;
let leases: PostgresLeases;
let closing: (() => Promise<void>)[];
let errors: unknown[];

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  poison = 'POISON';
  await emptied(database);
  log = new SpecLog(database.pool);
  wake = new PostgresWake(database.url);
  leases = new PostgresLeases(database.url, wake);
  closing = [];
  errors = [];
});
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  await leases.close();
  await wake.close();
});
afterAll(() => database.drop());

function run(projection: Projection, oneByOneUntil?: number): { close(): Promise<void> } {
  const db = openPool(database.url, { name: 'team', max: 3, synchronousCommit: false });
  const report = (error: unknown) => errors.push(error);
  const lifecycle = setLifecycle(
    setTarget(projection, localSetWork(projection, { log, db }), db),
    { log, db, wake, report },
    oneByOneUntil,
  );
  const loop = new LeasedLoop({ name: runnerLeaseOf(schemaOf(projection)), leases, work: (signal) => lifecycle.run(signal), report });
  loop.start();
  let ended: Promise<void> | undefined;
  const close = () => (ended ??= loop.close().then(() => db.end()));
  closing.push(close);
  return { close };
}

async function rename(id: string, to: string): Promise<number> {
  const { n } = await log.append(`project-${id}`, 'ProjectRenamed', { from: '', to });
  wake.ring('log');
  return n;
}

async function until<T>(read: () => Promise<T>, wanted: T, timeoutMs = 200_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let found = await read();
  while (JSON.stringify(found) !== JSON.stringify(wanted) && Date.now() < deadline) {
    await sleep(20);
    found = await read();
  }
  expect(found).toEqual(wanted);
}

const rows = (text: string) => async () => (await database.pool.query<Record<string, unknown>>(text).catch(() => ({ rows: [] }))).rows;
const byTitle = rows('SELECT title, times::int FROM p_renames.by_title ORDER BY title');
const states = rows('SELECT schema, state, paused, rebuild FROM projection ORDER BY schema');
const parked = rows('SELECT key, type, attempts FROM projection_parked');
const ask = async (change: string) => {
  await database.pool.query(change);
  wake.ring('projections');
};

it('passes a spec that delivers every event twice', async () => {
  const spec = projectionSpec(renames(1), database.pool);
  const given = spec.given([
    occurred('project-a', 'ProjectRenamed', { from: '', to: 'one' }),
    occurred('project-b', 'ProjectRenamed', { from: '', to: 'one' }),
    occurred('project-a', 'ProjectDeleted', { title: 'one', url: '' }),
  ]);
  await given.thenRows('by_title', [{ title: 'one', times: '2' }]);
  await given.thenRows('last', [
    { project: 'project-a', title: 'one' },
    { project: 'project-b', title: 'one' },
  ]);
  await expect(given.thenRows('by_title', [{ title: 'one', times: '4' }])).rejects.toThrow();
  await expect(spec.given([occurred('project-a', 'ProjectRenamed', { from: '', to: 'POISON' })]).thenRows('last', [])).rejects.toThrow(
    'could not be applied',
  );
});

it('is filled from the whole log, then follows it', async () => {
  const times = thorough(4_500, 750);
  await log.appendAll(
    Array.from({ length: 2 * times }, (_, index) => ({
      scope: `project-${String(index % 9)}`,
      type: 'ProjectRenamed',
      data: { from: '', to: `t${String(index % 2)}` },
    })),
  );
  run(renames(1));
  await until(byTitle, [
    { title: 't0', times },
    { title: 't1', times },
  ]);
  await rename('a', 't0');
  await until(byTitle, [
    { title: 't0', times: times + 1 },
    { title: 't1', times },
  ]);
  expect(errors).toEqual([]);
});

it('is published near the head of the log only, also when its first events are applied one by one', async () => {
  const states = defineProjection({
    name: 'states',
    version: 1,
    tables: ['CREATE TABLE seen (state text)'],
    on: {
      ProjectRenamed: async ({ data }, tx) => {
        if (data.to === 'far') await tx.query(`INSERT INTO seen SELECT state FROM public.projection WHERE name = 'states'`);
      },
    },
  });
  await log.appendAll(
    Array.from({ length: 1_200 }, (_, index) => ({
      ...{ scope: 'project-a', type: 'ProjectRenamed' },
      data: { from: '', to: index === 100 ? 'far' : 'near' },
    })),
  );
  run(states, 3);
  await until(rows('SELECT state FROM p_states.seen'), [{ state: 'building' }]);
});

it('publishes a raised version, and the old one again after a rollback', async () => {
  await rename('a', 'one');
  run(renames(1));
  await until(byTitle, [{ title: 'one', times: 1 }]);
  const raised = run(renames(2, 10));
  await until(byTitle, [{ title: 'one', times: 10 }]);
  await rename('a', 'one');
  await until(byTitle, [{ title: 'one', times: 20 }]);
  await until(rows('SELECT times::int FROM p_renames_v1.by_title'), [{ times: 2 }]);
  await raised.close();
  await database.pool.query(`UPDATE lease SET heartbeat = now() - interval '2 minutes' WHERE name = 'projection p_renames_v2'`);
  await rename('a', 'one');
  await until(byTitle, [{ title: 'one', times: 3 }]);
});

describe('an event that cannot be applied', () => {
  it.each(['POISON', 'BAD SQL'])('parks its partition and no other (%s)', async (title) => {
    run(renames(1));
    await rename('a', 'fine');
    await rename('a', title);
    await rename('b', 'fine');
    await rename('a', 'after');
    await until(byTitle, [{ title: 'fine', times: 2 }]);
    await until(parked, [{ key: 'project-a', type: 'ProjectRenamed', attempts: 1 }]);
    await log.append('system', 'EventVoided', { n: 1, eventId: 'x', reason: 'bad title' });
    wake.ring('log');
    await until(byTitle, [
      { title: 'after', times: 1 },
      { title: 'fine', times: 2 },
    ]);
    await until(parked, []);
    expect(errors).toEqual([]);
  });

  it('is skipped by the version that an operator named, in every rebuild, and by no other version', async () => {
    run(renames(1));
    await rename('a', 'POISON');
    await rename('a', 'after');
    await until(parked, [{ key: 'project-a', type: 'ProjectRenamed', attempts: 1 }]);
    const skip = (projection: string) =>
      log.append('system', 'ProjectionEventSkipped', { projection, version: 1, n: 0, eventId: 'x', reason: 'ours' });
    await skip('others');
    await skip('renames');
    wake.ring('log');
    await until(byTitle, [{ title: 'after', times: 1 }]);
    await until(parked, []);
    await database.pool.query('UPDATE p_renames_v1.by_title SET times = 99');
    await ask('UPDATE projection SET rebuild = true');
    await until(byTitle, [{ title: 'after', times: 1 }]);
    poison = 'nothing';
    run(renames(2));
    await until(byTitle, [
      { title: 'POISON', times: 1 },
      { title: 'after', times: 1 },
    ]);
    expect(errors).toEqual([]);
  });

  it('is applied with the events behind it on a retry', async () => {
    run(renames(1));
    await rename('a', 'POISON');
    await rename('a', 'after');
    await until(parked, [{ key: 'project-a', type: 'ProjectRenamed', attempts: 1 }]);
    await ask('UPDATE projection_parked SET retry = true');
    await until(parked, [{ key: 'project-a', type: 'ProjectRenamed', attempts: 2 }]);
    poison = 'nothing';
    await ask('UPDATE projection_parked SET retry = true');
    await until(byTitle, [
      { title: 'POISON', times: 1 },
      { title: 'after', times: 1 },
    ]);
    await until(parked, []);
  });
});

describe('an operator', () => {
  it('pauses and resumes', async () => {
    run(renames(1));
    await rename('a', 'one');
    await until(byTitle, [{ title: 'one', times: 1 }]);
    await ask('UPDATE projection SET paused = true');
    // The runner stops at its next poll.
    let written = 1;
    await until(async () => {
      await rename('a', 'one');
      written++;
      await sleep(300);
      return JSON.stringify(await byTitle()) === JSON.stringify([{ title: 'one', times: written }]);
    }, false);
    await ask('UPDATE projection SET paused = false');
    await until(byTitle, [{ title: 'one', times: written }]);
  });

  it('is obeyed at once while the log is idle: a retry and a rebuild wait for no poll', async () => {
    const { bell } = wake;
    wake.bell = (topic) => {
      const ringing = bell.call(wake, topic);
      return Object.assign(ringing, { poll: (signal?: AbortSignal) => ringing.wait(600_000, signal) });
    };
    run(renames(1));
    await rename('a', 'POISON');
    await until(parked, [{ key: 'project-a', type: 'ProjectRenamed', attempts: 1 }]);
    await ask('UPDATE projection_parked SET retry = true');
    await until(parked, [{ key: 'project-a', type: 'ProjectRenamed', attempts: 2 }], 20_000);
    await ask('UPDATE projection SET rebuild = true');
    await until(states, [{ schema: 'p_renames_v1', state: 'live', paused: false, rebuild: false }], 20_000);
    expect(errors).toEqual([]);
  });

  it('rebuilds a paused projection, which stays paused', async () => {
    run(renames(1));
    await rename('a', 'one');
    await until(byTitle, [{ title: 'one', times: 1 }]);
    await ask('UPDATE projection SET paused = true, rebuild = true');
    await until(states, [{ schema: 'p_renames_v1', state: 'live', paused: true, rebuild: false }]);
    expect(errors).toEqual([]);
  });

  if (isRelease)
    it('rebuilds beside the tables in use, also when an applied event is voided', async () => {
      run(renames(1));
      await rename('a', 'one');
      await rename('b', 'two');
      await until(byTitle, [
        { title: 'one', times: 1 },
        { title: 'two', times: 1 },
      ]);
      await database.pool.query('UPDATE p_renames_v1.by_title SET times = 99');
      await ask('UPDATE projection SET rebuild = true');
      await until(byTitle, [
        { title: 'one', times: 1 },
        { title: 'two', times: 1 },
      ]);
      await until(states, [{ schema: 'p_renames_v1', state: 'live', paused: false, rebuild: false }]);
      await log.append('system', 'EventVoided', { n: 0, eventId: 'x', reason: 'mistake' });
      wake.ring('log');
      await until(byTitle, [{ title: 'two', times: 1 }]);
      // Once only: the rebuild skipped the event.
      await until(states, [{ schema: 'p_renames_v1', state: 'live', paused: false, rebuild: false }]);
      expect(errors).toEqual([]);
    });
});

it('applies events again whose commits a database crash lost, without a new event', async () => {
  const first = await log.append('project-a', 'ProjectRenamed', { from: '', to: 'one' });
  await rename('b', 'one');
  run(renames(1));
  await until(byTitle, [{ title: 'one', times: 2 }]);
  // Commits of a team do not wait for the disk: the second one was lost.
  await database.pool.query(`
    WITH moved AS (UPDATE projection SET n = ${String(first.n)}, event_id = '${first.id}' RETURNING n),
      forgotten AS (DELETE FROM p_renames.last WHERE project = 'project-b')
    UPDATE p_renames.by_title SET times = 1`);
  await until(byTitle, [{ title: 'one', times: 2 }]);
  expect((await rows('SELECT project FROM p_renames.last ORDER BY project')()).map(({ project }) => project)).toEqual([
    'project-a',
    'project-b',
  ]);
});
