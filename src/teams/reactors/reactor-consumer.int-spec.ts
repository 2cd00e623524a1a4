import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/until.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { SpecLog } from '../../platform/read-models/testing/spec-log.ts';
import { TeamProcessEnded } from '../process/running-child.ts';
import { ConsumerAdmin } from '../../platform/consumers/consumer-admin.ts';
import { CONSUMER_TOPIC, ConsumerStore } from '../../platform/consumers/consumer-store.ts';
import { consumerOfReactor, ReactorConsumer, reactorIn } from './reactor-consumer.ts';

const PATIENCE = 30_000;
const reactor = { name: 'one', from: 'beginning', handles: ['ProjectRenamed'] } as const;
const FROM = './package';
const CONSUMER = consumerOfReactor(reactor.name);

let database: TestDatabase;
let log: SpecLog;
let wake: LocalWake;
let store: ConsumerStore;
let admin: ConsumerAdmin;
let stop: AbortController;
let running: Promise<void>;
/** The titles of the events that were handled, in order. */
let handled: string[];
let failing: Set<string>;
let ending: Set<string>;
let parked: string[];
/** Handlers that wait, by title. */
let held: Map<string, Held>;

interface Held {
  readonly opened: Promise<void>;
  readonly open: () => void;
  isReached: boolean;
}

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  log = new SpecLog(database.pool);
  wake = new LocalWake();
  admin = new ConsumerAdmin(database.pool);
  store = new ConsumerStore(database.pool);
  stop = new AbortController();
  running = Promise.resolve();
  [handled, failing, ending, parked, held] = [[], new Set(), new Set(), [], new Map()];
});
afterEach(async () => {
  stop.abort();
  await running;
});
afterAll(() => database.drop());

const titleOf = ({ data }: LogEvent): string => ('to' in data ? String(data.to) : '');

const newConsumer = (): ReactorConsumer =>
  new ReactorConsumer({
    ...{ reactor, from: FROM, log, wake, store },
    react: async (event) => {
      const title = titleOf(event);
      const hold = held.get(title);
      if (hold !== undefined) hold.isReached = true;
      await hold?.opened;
      if (ending.has(title)) throw new TeamProcessEnded('the process ended');
      if (failing.has(title)) throw new Error(`cannot handle ${title}`);
      handled.push(title);
    },
    onParked: (event) => parked.push(titleOf(event)),
  });

/** The next handler of this title waits until it is opened. */
function hold(title: string): Held {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const one = { opened, open, isReached: false };
  held.set(title, one);
  return one;
}
const reached = (one: Held): Promise<void> => until(() => Promise.resolve(one.isReached), PATIENCE, 'an attempt');

async function start(consumer = newConsumer()): Promise<void> {
  await store.open(reactorIn(FROM, reactor), () => Promise.resolve(-1));
  running = consumer.work(stop.signal);
}

async function rename(project: string, ...titles: readonly string[]): Promise<void> {
  await log.appendAll(titles.map((to) => ({ scope: `project-${project}`, type: 'ProjectRenamed', data: { from: '', to } })));
  wake.ring('log');
}

const handles = (count: number): Promise<void> =>
  until(() => Promise.resolve(handled.length >= count), PATIENCE, `${String(count)} events`);

describe('the consumer of a reactor', () => {
  it('handles the events of a project in order, and notes how far it has come', async () => {
    await rename('a', ...Array.from({ length: 250 }, (_, index) => String(index)));
    await log.append('project-a', 'ProjectDeleted', { title: '', url: '' });
    await start();
    await handles(250);
    await until(async () => (await store.read(CONSUMER))?.n === 250, PATIENCE, 'the checkpoint');
    expect(handled).toEqual(Array.from({ length: 250 }, (_, index) => String(index)));
    await rename('a', 'live');
    await handles(251);
  });

  it('parks a project behind an event that fails, goes on with others, and tries again by itself', async () => {
    failing.add('bad');
    await rename('a', 'one', 'bad', 'two');
    await rename('b', 'three');
    await start();
    await until(async () => (await admin.parked(CONSUMER)).length === 1, PATIENCE, 'a parked project');
    await handles(2);
    expect(handled.toSorted()).toEqual(['one', 'three']);
    expect(await admin.parked(CONSUMER)).toMatchObject([{ scope: 'project-a', n: 1, error: 'Error: cannot handle bad' }]);
    await rename('a', 'four');
    failing.clear();
    await handles(5);
    expect(handled.slice(2)).toEqual(['bad', 'two', 'four']);
    await until(async () => (await admin.parked(CONSUMER)).length === 0, PATIENCE, 'nothing parked');
  });

  it('retries a project that is due between the events of a long page, with its events behind the one that failed', async () => {
    failing.add('bad');
    const second = hold('two');
    await rename('a', 'bad');
    await rename('b', 'one', 'two', 'three');
    await rename('a', 'next');
    await start();
    await reached(second);
    await until(async () => (await store.due(CONSUMER, 4, 1)).length === 1, PATIENCE, 'a retry that is due');
    failing.clear();
    second.open();
    await handles(5);
    expect(handled).toEqual(['one', 'two', 'bad', 'next', 'three']);
    await rename('a', 'last');
    await handles(6);
    expect(handled.at(-1)).toBe('last');
    expect(await admin.parked(CONSUMER)).toEqual([]);
  });

  it('continues after an event that is skipped', async () => {
    failing.add('bad');
    await rename('a', 'bad', 'next');
    await start();
    await until(async () => (await admin.parked(CONSUMER)).length === 1, PATIENCE, 'a parked project');
    const [first] = await admin.parked(CONSUMER);
    await admin.skip(CONSUMER, first?.eventId ?? '');
    wake.ring(CONSUMER_TOPIC);
    await handles(1);
    expect(handled).toEqual(['next']);
  });

  it('repeats the events of an unfinished page after a crash, and no others', async () => {
    await rename('a', ...Array.from({ length: 150 }, (_, index) => String(index)));
    ending.add('120');
    const consumer = newConsumer();
    await start(consumer);
    await expect(running).rejects.toThrow(TeamProcessEnded);
    ending.clear();
    await start(consumer);
    await handles(170);
    expect([handled.length, handled.indexOf('100'), handled.lastIndexOf('100')]).toEqual([170, 100, 120]);
  });

  it('parks an event at which the process ended twice, also one of several that were under way', async () => {
    ending.add('end');
    await rename('a', 'one', 'end');
    await rename('b', 'two', 'three');
    const consumer = newConsumer();
    for (let ends = 0; ends < 2; ends++) {
      await start(consumer);
      await expect(running).rejects.toThrow(TeamProcessEnded);
    }
    await start(consumer);
    await until(() => Promise.resolve(parked.length === 1), PATIENCE, 'a parked project');
    expect(parked).toEqual(['end']);
    await until(() => Promise.resolve(handled.includes('three')), PATIENCE, 'the others');
  });

  it('tries an event again at which the process ended, and continues once it does not end any more', async () => {
    ending.add('end');
    await rename('a', 'end', 'next');
    const consumer = newConsumer();
    for (let ends = 0; ends < 2; ends++) {
      await start(consumer);
      await expect(running).rejects.toThrow(TeamProcessEnded);
    }
    await start(consumer);
    await until(() => Promise.resolve(parked.length === 1), PATIENCE, 'a parked project');
    ending.clear();
    await handles(2);
    expect(handled).toEqual(['end', 'next']);
    await until(async () => (await admin.parked(CONSUMER)).length === 0, PATIENCE, 'nothing parked');
  });

  it('keeps an event skipped that a crash left behind the checkpoint', async () => {
    failing.add('bad');
    ending.add('end');
    await rename('a', 'bad', 'next');
    await rename('b', 'end');
    const consumer = newConsumer();
    await start(consumer);
    await expect(running).rejects.toThrow(TeamProcessEnded);
    const [first] = await admin.parked(CONSUMER);
    await admin.skip(CONSUMER, first?.eventId ?? '');
    ending.clear();
    await start(consumer);
    await handles(2);
    expect(handled.toSorted()).toEqual(['end', 'next']);
    expect(parked).toEqual(['bad']);
  });

  it('handles all events after the position to which it is moved again, also of a parked project', async () => {
    failing.add('bad');
    await rename('a', 'one', 'bad', 'two');
    await start();
    await until(async () => (await admin.parked(CONSUMER)).length === 1, PATIENCE, 'a parked project');
    stop.abort();
    await running;
    stop = new AbortController();
    failing.clear();
    await admin.moveTo(CONSUMER, -1);
    await start();
    await handles(4);
    expect(handled).toEqual(['one', 'one', 'bad', 'two']);
  });

  it('keeps an event skipped while an attempt at it is under way', async () => {
    failing.add('bad');
    await rename('a', 'bad', 'next');
    await start();
    await until(async () => (await admin.parked(CONSUMER)).length === 1, PATIENCE, 'a parked project');
    const attempt = hold('bad');
    await reached(attempt);
    const [first] = await admin.parked(CONSUMER);
    await admin.skip(CONSUMER, first?.eventId ?? '');
    attempt.open();
    await handles(1);
    await until(async () => (await admin.parked(CONSUMER)).length === 0, PATIENCE, 'nothing parked');
    expect(handled).toEqual(['next']);
  });

  it('leaves nothing parked when it is moved while an event fails', async () => {
    await rename('a', 'one', 'bad', 'two');
    failing.add('bad');
    const attempt = hold('bad');
    await start();
    await reached(attempt);
    await admin.moveTo(CONSUMER, 0);
    attempt.open();
    await expect(running).rejects.toThrow('no longer at -1');
    expect(await admin.parked(CONSUMER)).toEqual([]);
    failing.clear();
    await start();
    await handles(3);
    expect(handled).toEqual(['one', 'bad', 'two']);
  });

  it('refuses to go on when another instance moved its checkpoint', async () => {
    await start();
    const refused = expect(running).rejects.toThrow('no longer at -1');
    await database.pool.query('UPDATE consumer SET n = 7');
    wake.ring('log');
    await refused;
    running = Promise.resolve();
  });
});
