import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { DeadLetters } from './dead-letters.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryLog } from '../../../test/support/memory/memory-log.ts';
import { KeyParked } from '../../platform/read-models/views/views.ts';
import { samples } from '../../../test/samples/samples.ts';
import { DeadLetterRetry } from './dead-letter-retry.ts';

let database: TestDatabase;
let store: MemoryEventStore;
let retry: DeadLetterRetry;
/** Of what waits, and where it was asked from. */
let asked: string[];
/** What happens while the answer is on its way. */
let meanwhile: () => Promise<void>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('TRUNCATE notifier_set_aside');
  const wake = new LocalWake();
  store = new MemoryEventStore({ now: () => 0 }, wake);
  asked = [];
  meanwhile = () => Promise.resolve();
  retry = new DeadLetterRetry({
    pool: watched(database.pool),
    log: new MemoryLog(store, wake),
    views: { now: unreadable, asOf: unreadable, snapshot: (work) => work(unreadable()) },
    wake,
    clock: { now: () => 0 },
    mailIsConfigured: false,
  });
});

function watched(pool: pg.Pool): pg.Pool {
  return new Proxy(pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name) as unknown;
      return async (text: string, values: readonly unknown[]) => {
        asked.push(String(values[0]));
        const answer = await target.query(text, [...values]);
        await meanwhile();
        return answer;
      };
    },
  });
}

/** No project can be read: what waits keeps waiting. */
function unreadable(): MemoryViews {
  return new Proxy(new MemoryViews(() => store.events), {
    get: (target, name) =>
      typeof Reflect.get(target, name) === 'function' ? () => Promise.reject(new KeyParked('project', 'any')) : Reflect.get(target, name),
  });
}

const projectOf = (place: number): string => String(place).padStart(24, '0');

/** A failure a project. */
async function setAside(first: number, count: number): Promise<void> {
  const lines: { n: number; scope: string }[] = [];
  for (let place = first; place < first + count; place++) {
    const scope = `project-${projectOf(place)}`;
    const id = `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;
    const meta = { actor: { kind: 'checker', id: 'c' }, correlationId: id, causationId: null, commandId: id, occurredAt: '' } as const;
    const data = samples(projectOf(place)).CheckFailed;
    lines.push({ n: store.events.length, scope });
    await store.append(`verdict-${String(place)}`, 'no stream', [{ id, type: 'CheckFailed', version: 1, scope, meta, data }]);
  }
  await new DeadLetters(database.pool).add(lines);
}

describe('the retry of dead letters', () => {
  it('queries only when dead letters are expected, and once when there are none', async () => {
    await retry.run();
    expect(asked).toEqual([]);
    retry.expect();
    for (let times = 0; times < 3; times++) await retry.run();
    expect(asked).toEqual(['']);
  });

  it('keeps querying while dead letters remain', async () => {
    await setAside(0, 1);
    retry.expect();
    for (let times = 0; times < 3; times++) await retry.run();
    expect(asked).toEqual(['', '', '']);
    await database.pool.query('TRUNCATE notifier_set_aside');
    for (let times = 0; times < 3; times++) await retry.run();
    expect(asked).toEqual(['', '', '', '']);
  });

  it('pages through many scopes and starts over with those added before', async () => {
    await setAside(1, 100);
    retry.expect();
    await retry.run();
    await setAside(0, 1);
    for (let times = 0; times < 2; times++) await retry.run();
    expect(asked).toEqual(['', `project-${projectOf(100)}`, '']);
  });

  it('starts over when the remaining scopes are gone', async () => {
    await setAside(1, 100);
    retry.expect();
    await retry.run();
    await database.pool.query('TRUNCATE notifier_set_aside');
    await setAside(0, 1);
    for (let times = 0; times < 3; times++) await retry.run();
    expect(asked).toEqual(['', `project-${projectOf(100)}`, '', '']);
  });

  it('misses no dead letter added during its query', async () => {
    retry.expect();
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      await setAside(0, 1);
      retry.expect();
    };
    for (let times = 0; times < 2; times++) await retry.run();
    expect(asked).toEqual(['', '']);
  });
});
