import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/until.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { LocalWake } from '../postgres/wake.ts';
import { SpecLog } from '../read-models/testing/spec-log.ts';
import { ConsumerAdmin } from './consumer-admin.ts';
import { CONSUMER_TOPIC, ConsumerStore } from './consumer-store.ts';
import { TransactionalConsumer } from './transactional-consumer.ts';

const NAME = 'titles';
const TITLES = { name: NAME, about: 'titles of projects' };
const PATIENCE_MS = 10_000;
const AT_ONCE = { firstMs: 0, factor: 1, mostMs: 0, forMs: null };

let database: TestDatabase;
let log: SpecLog;
let wake: LocalWake;
let store: ConsumerStore;
let admin: ConsumerAdmin;
let failing: Set<string>;
/** Statements of the database that were asked about due retries. */
let dueQueries: number;
let parked: string[];
let stop: AbortController;
let running: Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('CREATE TABLE title (n bigint PRIMARY KEY, text text)');
});
beforeEach(async () => {
  await emptied(database);
  await database.pool.query('TRUNCATE title');
  log = new SpecLog(database.pool);
  wake = new LocalWake();
  admin = new ConsumerAdmin(database.pool);
  store = new (class extends ConsumerStore {
    override due(...given: Parameters<ConsumerStore['due']>): ReturnType<ConsumerStore['due']> {
      dueQueries++;
      return super.due(...given);
    }
  })(database.pool);
  [failing, dueQueries, parked, stop, running] = [new Set(), 0, [], new AbortController(), Promise.resolve()];
});
afterEach(async () => {
  stop.abort();
  await running;
});
afterAll(() => database.drop());

const titleOf = ({ data }: LogEvent): string => ('to' in data ? String(data.to) : '');

/** Writes the title of each renamed project, and fails after it has written. */
const newConsumer = (): TransactionalConsumer =>
  new TransactionalConsumer({
    ...{ ...TITLES, pool: database.pool, log, wake, store, retry: AT_ONCE },
    wants: ({ type }) => type === 'ProjectRenamed',
    begin: (_, client) =>
      Promise.resolve(async (event) => {
        await client.query('INSERT INTO title VALUES ($1, $2)', [event.n, titleOf(event)]);
        if (failing.has(titleOf(event))) throw new Error(`cannot handle ${titleOf(event)}`);
      }),
    onParked: (event) => parked.push(titleOf(event)),
    onCommitted: () => undefined,
  });

const rename = async (project: string, ...titles: readonly string[]): Promise<void> => {
  await log.appendAll(titles.map((to) => ({ scope: `project-${project}`, type: 'ProjectRenamed', data: { from: '', to } })));
  wake.ring('log');
};
const start = async (consumer = newConsumer()): Promise<void> => {
  await store.open(TITLES, () => Promise.resolve(-1));
  running = consumer.work(stop.signal);
};
const written = async (): Promise<readonly string[]> =>
  (await database.pool.query<{ text: string }>('SELECT text FROM title ORDER BY n')).rows.map(({ text }) => text);
const writes = (...titles: readonly string[]): Promise<void> =>
  until(async () => JSON.stringify(await written()) === JSON.stringify(titles), PATIENCE_MS, titles.join(', '));

describe('a consumer whose effects commit with its checkpoint', () => {
  it('starts at the head of the log', async () => {
    await rename('a', 'before');
    running = newConsumer().work(stop.signal);
    await until(async () => (await store.read(NAME)) !== null, PATIENCE_MS, 'the consumer');
    await rename('a', 'after');
    await writes('after');
  });

  it('parks the project of an event that fails, without anything of it, and handles the others of the same page', async () => {
    failing.add('bad');
    await rename('a', 'one', 'bad', 'two');
    await rename('b', 'three');
    await start();
    await writes('one', 'three');
    expect(parked[0]).toBe('bad');
    expect(await admin.parked(NAME)).toMatchObject([{ scope: 'project-a', n: 1, error: 'Error: cannot handle bad' }]);
    expect(await store.deadLetters()).toMatchObject({ events: 2, scopes: 1, first: 'project-a' });
    expect([...(await admin.waitingByScope(NAME, ['project-a', 'project-b']))]).toEqual([['project-a', 2]]);
  });

  it('retries a parked project in the order of the log, and counts what still waits', async () => {
    failing.add('bad').add('worse');
    await rename('a', 'bad', 'two', 'worse', 'four');
    await start();
    await until(async () => (await store.deadLetters()).events === 4, PATIENCE_MS, 'dead letters');
    failing.delete('bad');
    await writes('bad', 'two');
    expect(await store.deadLetters()).toMatchObject({ events: 2, scopes: 1 });
    await rename('a', 'five');
    await until(async () => (await store.deadLetters()).events === 3, PATIENCE_MS, 'one more');
    failing.clear();
    await writes('bad', 'two', 'worse', 'four', 'five');
    expect(await store.deadLetters()).toEqual({ events: 0, scopes: 0, first: null, seconds: 0 });
  });

  it('asks for due retries only while something is parked', async () => {
    failing.add('bad');
    await rename('a', 'one');
    await start();
    await writes('one');
    expect(dueQueries).toBe(0);
    await rename('a', 'bad');
    await until(() => Promise.resolve(dueQueries > 1), PATIENCE_MS, 'retries');
    failing.clear();
    await writes('one', 'bad');
    const asked = dueQueries;
    await rename('a', 'two');
    await writes('one', 'bad', 'two');
    expect(dueQueries).toBe(asked);
  });

  it('finds what an earlier instance has parked', async () => {
    failing.add('bad');
    await rename('a', 'bad');
    await start();
    await until(async () => (await store.deadLetters()).events === 1, PATIENCE_MS, 'a dead letter');
    stop.abort();
    await running;
    failing.clear();
    stop = new AbortController();
    await start();
    await writes('bad');
  });

  it('continues with the event after one that an operator skips or voids', async () => {
    failing.add('bad').add('worse');
    await rename('a', 'bad', 'two', 'worse', 'four');
    await start();
    await until(async () => (await admin.parked(NAME)).length === 1, PATIENCE_MS, 'a parked project');
    await admin.skip(NAME, (await admin.parked(NAME))[0]?.eventId ?? '');
    wake.ring(CONSUMER_TOPIC);
    await writes('two');
    await log.append('system', 'EventVoided', { n: 2, eventId: '', reason: '' });
    wake.ring('log');
    await writes('two', 'four');
    expect(await admin.parked(NAME)).toEqual([]);
  });

  it('writes nothing of events that another instance has handled meanwhile', async () => {
    await rename('a', 'one', 'two');
    const former = newConsumer();
    await store.open(TITLES, () => Promise.resolve(-1));
    await former.load();
    const page = await log.read({ after: -1, limit: 10 });
    await newlyLoaded().then((other) => other.handle(page));
    await expect(former.handle(page)).rejects.toThrow('the consumer titles is no longer at -1: its checkpoint was moved');
    expect(await written()).toEqual(['one', 'two']);
  });

  it('moves its checkpoint by events that mean nothing to it, though not by each of them', async () => {
    await store.open(TITLES, () => Promise.resolve(-1));
    const consumer = await newlyLoaded();
    const others = Array.from({ length: 5_000 }, () => ({ scope: 'project-a', type: 'ProjectDeleted', data: { title: '', url: '' } }));
    await log.appendAll(others);
    const page = await log.read({ after: -1, limit: 5_000 });
    await consumer.handle(page.slice(0, 4_999));
    expect((await store.read(NAME))?.n).toBe(-1);
    await consumer.handle(page.slice(4_999));
    expect((await store.read(NAME))?.n).toBe(4_999);
  });

  it('pauses and resumes', async () => {
    await start();
    await admin.setPaused(NAME, true);
    wake.ring(CONSUMER_TOPIC);
    await rename('a', 'one');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await written()).toEqual([]);
    await admin.setPaused(NAME, false);
    await writes('one');
  });
});

async function newlyLoaded(): Promise<TransactionalConsumer> {
  const consumer = newConsumer();
  await consumer.load();
  return consumer;
}
