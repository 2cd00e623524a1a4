import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { MemoryEventStore } from '../../../../test/support/memory/memory-event-store.ts';
import { projectSettings } from '../../../../test/support/project-settings.ts';
import { create, changeSettings } from '../../../projects/project.decider.ts';
import { projectTarget } from '../../../projects/project.state.ts';
import type { EventStore } from '../../event-store/event-store.ts';
import { PostgresEventStore } from '../../event-store/postgres/postgres-event-store.ts';
import type { StreamTarget } from '../../../kernel/decider.ts';
import type { EventBody } from '../../../kernel/event.ts';
import { LocalWake } from '../../postgres/wake.ts';
import { CommandRunner } from '../command-runner.ts';
import { systemContext } from '../context.ts';
import { wholeProjectTarget } from '../../../projects/project-stream.ts';
import { PostgresStreamSnapshots } from './postgres-stream-snapshots.ts';
import { SNAPSHOT_EVERY } from './stream-snapshots.ts';
import { folds } from '../../../app/folds.ts';

const EVENTS = 1_100;
const wanted = { projectId: 'p', payerId: 1, settings: projectSettings, apiKey: { subject: 'project-p', sealed: '' }, preset: false };
const context = () => systemContext({ kind: 'user', id: '1' }, 0);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
});
afterAll(() => database.drop());

/** A process that starts on the store: nothing is cached yet. Counts the events that it reads. */
function instance(store: EventStore) {
  let read = 0;
  const counting = {
    append: (...given: Parameters<EventStore['append']>) => store.append(...given),
    readStream: async function* (...given: Parameters<EventStore['readStream']>) {
      for await (const event of store.readStream(...given)) {
        read++;
        yield event;
      }
    },
  } as unknown as EventStore;
  const snapshots = new PostgresStreamSnapshots(database.pool, store, folds, (error) => {
    throw error;
  });
  return { runner: new CommandRunner(counting, { snapshots }), snapshots, read: () => read };
}

const rename = (runner: CommandRunner, title: string) =>
  runner.run(projectTarget('p'), context(), (project) => changeSettings(project, { title }, 1));

async function write(store: EventStore, events: number): Promise<void> {
  const { runner, snapshots } = instance(store);
  await runner.run(projectTarget('p'), context(), (project) => create(project, wanted));
  for (let at = 1; at < events; at += 100) {
    const titles = Array.from({ length: Math.min(100, events - at) }, (_, index) => String(at + index));
    await runner.run(projectTarget('p'), context(), () =>
      titles.map((title) => ({ type: 'ProjectRenamed' as const, data: { from: '', to: title } })),
    );
  }
  await snapshots.idle();
}

async function stateWithout<State, Event extends EventBody>(store: EventStore, target: StreamTarget<State, Event>): Promise<State> {
  return new CommandRunner(store).read(target);
}

/** What the first write after a start reads, once the state is as without any snapshot. */
async function readByFirstWrite(store: EventStore): Promise<number> {
  const { runner, snapshots, read } = instance(store);
  const { state } = await rename(runner, 'after the start');
  await snapshots.idle();
  expect(state).toEqual(await stateWithout(store, projectTarget('p')));
  return read();
}

const onPostgres = (): EventStore => new PostgresEventStore(database.pool, new LocalWake());

it.each([
  ['Postgres', onPostgres],
  // Its events are not in the database of the snapshots.
  ['another event store', () => new MemoryEventStore()],
])('reads at the first write after a start on %s the events since the snapshot, for every decider of the stream', async (_, open) => {
  const store = open();
  await write(store, EVENTS);
  expect(await readByFirstWrite(store)).toBeLessThan(700);
  const { runner, read } = instance(store);
  expect(await runner.read(wholeProjectTarget('p'))).toEqual(await stateWithout(store, wholeProjectTarget('p')));
  expect(read()).toBeLessThan(700);
});

it('makes a snapshot of a stream with its 500th event, and none of a shorter one', async () => {
  const store = new MemoryEventStore();
  const stored = async () => (await database.pool.query('SELECT FROM stream_snapshot')).rowCount;
  await write(store, SNAPSHOT_EVERY - 1);
  expect(await stored()).toBe(0);
  const { runner, snapshots } = instance(store);
  await rename(runner, 'the 500th');
  await snapshots.idle();
  expect(await stored()).toBeGreaterThan(0);
});

it('executes a keyed write after a start, and finds its repeat, by the snapshot and the end of the stream', async () => {
  const store = onPostgres();
  await write(store, EVENTS);
  const command = { ...context(), commandId: 'keyed', repeat: true, firstTriedAfter: String(EVENTS - 1) };
  const change = (runner: CommandRunner) =>
    runner.run(projectTarget('p'), command, (project) => changeSettings(project, { title: 'keyed' }, 1));
  const first = instance(store);
  const done = await change(first.runner);
  await rename(first.runner, 'since then');
  const repeated = instance(store);
  const again = await change(repeated.runner);
  expect(again.events.map(({ id }) => id)).toEqual(done.events.map(({ id }) => id));
  expect(again.state).toEqual(await stateWithout(store, projectTarget('p')));
  await Promise.all([first, repeated].map(({ snapshots }) => snapshots.idle()));
  for (const { read } of [first, repeated]) expect(read()).toBeLessThan(700);
  // With the state in memory.
  const before = first.read();
  await change(first.runner);
  expect(first.read() - before).toBeLessThan(5);
});

it('ignores a snapshot that it cannot use, and makes another one', async () => {
  const store = onPostgres();
  await write(store, EVENTS);
  const damages = {
    'of another version': `UPDATE stream_snapshot SET version = 'old', state = 'x'`,
    'of an event that the stream lost': `UPDATE stream_snapshot SET revision = 900000`,
    'of another event at its place': `UPDATE stream_snapshot SET event_id = gen_random_uuid()`,
    'of another content of the same event': `UPDATE stream_snapshot SET event_hash = '\\x00'`,
    'that cannot be read': `UPDATE stream_snapshot SET state = 'x'`,
    'of which a part is missing': `DELETE FROM stream_snapshot WHERE fold = 'project'`,
  };
  for (const [what, damage] of Object.entries(damages)) {
    await database.pool.query(damage);
    expect([what, (await readByFirstWrite(store)) >= EVENTS]).toEqual([what, true]);
    expect([what, (await readByFirstWrite(store)) < 700]).toEqual([what, true]);
  }
});

it('names a snapshot that differs from a fold of the whole stream', async () => {
  const store = onPostgres();
  await write(store, EVENTS);
  const { snapshots } = instance(store);
  const verify = () => snapshots.verify(new AbortController().signal, () => undefined);
  expect(await verify()).toEqual([]);
  await database.pool.query(
    `UPDATE stream_snapshot SET state = (SELECT state FROM stream_snapshot WHERE fold = 'badge') WHERE fold = 'checklist'`,
  );
  expect(await verify()).toEqual(['project-p checklist']);
});

it('is not in the way of an append when it cannot be written', async () => {
  const store = onPostgres();
  await write(store, EVENTS);
  await database.pool.query('DROP TABLE stream_snapshot');
  const reported: unknown[] = [];
  const snapshots = new PostgresStreamSnapshots(database.pool, store, folds, (error) => reported.push(error));
  await rename(new CommandRunner(store, { snapshots }), 'anyway');
  await snapshots.idle();
  expect(reported).toHaveLength(1);
});
