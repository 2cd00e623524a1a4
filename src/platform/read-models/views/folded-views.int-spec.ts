import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { canMeasureThreads, longestSlice } from '../../../../test/support/main-thread.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import { ConcurrencyLimit } from '../../../kernel/concurrency-limit.ts';
import { PostgresLog } from '../../log/postgres-log.ts';
import type { LogQuery } from '../../log/log.ts';
import { LocalWake } from '../../postgres/wake.ts';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { VoidedEvents } from '../engine/voided-events.ts';
import { FoldedViews } from './folded-views.ts';
import { viewUnit } from './unit.ts';

const EVENTS = 6_000;
const SCOPE = 'project-a';

let database: TestDatabase;
let log: PostgresLog;
beforeAll(async () => {
  database = await createTestDatabase();
  log = new PostgresLog(database.pool, new LocalWake());
  await database.pool.query(
    `INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
     SELECT n, n::text, gen_random_uuid(), '${SCOPE}', n, 'ProjectRenamed', 1, '${SCOPE}',
       '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 second', '{"from":"","to":"' || n || '","filler":"' || repeat('x', CASE WHEN n < 200 THEN 50000 ELSE 500 END) || '"}',
       '{"actor":{"kind":"user","id":"7"},"correlationId":"c","causationId":null,"commandId":"c","occurredAt":"2026-01-01T00:00:00.000Z"}'
     FROM generate_series(0, $1::bigint - 1) AS n`,
    [EVENTS],
  );
});
afterAll(() => database.drop());

interface Title {
  readonly title: string;
}

/** Counts what it folds. */
function countingView(name: string) {
  const folded: LogEvent[] = [];
  const view = defineView<Title>()({
    ...{ name, version: 1, scope: 'project', key: scopeId },
    on: {
      ProjectRenamed: (_, event) => {
        folded.push(event);
        return { title: event.data.to };
      },
    },
  });
  return { view, folded };
}

function world() {
  const [first, second, third] = [countingView('first'), countingView('second'), countingView('third')];
  const unit = viewUnit('spec', [first.view, second.view, third.view]);
  const pages: LogQuery[] = [];
  const counted = {
    ...{ head: () => log.head(), at: (instant: string) => log.at(instant) },
    read: (query: LogQuery) => {
      if (query.scope === SCOPE) pages.push(query);
      return log.read(query);
    },
  } as unknown as PostgresLog;
  const voided = new VoidedEvents(log, unit);
  const scopesOf = () => Promise.resolve(new Map([['a', SCOPE]]));
  const views = new FoldedViews({ unit, log: counted, voided, limit: new ConcurrencyLimit(2), scopesOf }, EVENTS - 1);
  return { first, second, third, views, pages };
}

it('folds only the views that are read, and reads the events once for those that are read together', async () => {
  const { first, second, third, views, pages } = world();
  const [one, two] = await views.across([first.view, second.view], 'a');
  const title = { title: String(EVENTS - 1) };
  expect([one, two]).toEqual([title, title]);
  expect([first, second, third].map(({ folded }) => folded.length)).toEqual([EVENTS, EVENTS, 0]);
  const after = pages.map((page) => page.after);
  expect(new Set(after).size).toBe(after.length);
  expect(await views.list(first.view, { scope: SCOPE })).toEqual([{ key: 'a', row: title }]);
  expect(first.folded).toHaveLength(EVENTS);
});

it('reads on by type where few events are of the types that a view handles', async () => {
  const scope = 'project-b';
  await database.pool.query(
    `INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
     SELECT $1 + i, ($1 + i)::text, gen_random_uuid(), $2, i, CASE WHEN i % 500 = 499 THEN 'ProjectRenamed' ELSE 'ProbeStarted' END, 1, $2,
       one.recorded_at, one.data, one.meta
     FROM generate_series(0, 4999) AS i, log AS one WHERE one.n = 300`,
    [EVENTS, scope],
  );
  const { first } = world();
  let read = 0;
  const counted = {
    read: async (query: LogQuery) => {
      const events = await log.read(query);
      if (query.scope === scope) read += events.length;
      return events;
    },
  };
  const unit = viewUnit('spec', [first.view]);
  const views = new FoldedViews(
    { unit, log: counted, voided: new VoidedEvents(log, unit), limit: new ConcurrencyLimit(2), scopesOf: () => Promise.resolve(new Map()) },
    EVENTS + 4_999,
  );
  expect(await views.list(first.view, { scope })).toHaveLength(1);
  expect(first.folded).toHaveLength(10);
  // The page that shows it, the one that was read ahead, and the few that are handled.
  expect(read).toBe(500 + 500 + 9);
});

it('ends a page of large events early', async () => {
  const page = await log.read({ after: -1, scope: SCOPE, limit: 500, bytes: 200_000 });
  expect(page.map(({ n }) => n)).toEqual([0, 1, 2, 3]);
  const ofType = await log.read({ after: 1, scope: SCOPE, limit: 500, bytes: 100_000, types: ['ProjectRenamed', 'ProjectDeleted'] });
  expect(ofType.map(({ n }) => n)).toEqual([2, 3]);
  const small = await log.read({ after: 1_000, scope: SCOPE, limit: 50, bytes: 200_000 });
  expect(small.map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, index) => 1_001 + index));
});

(canMeasureThreads ? it : it.skip)('never holds the event loop for 20 ms of processor time', async () => {
  let longest = Infinity;
  // A slice that contains a garbage collection or the work of the compiler does not come again.
  for (let tried = 0; tried < 15 && longest > 20; tried++) {
    const { first, views } = world();
    longest = Math.min(longest, await longestSlice(views.get(first.view, 'a')));
  }
  expect(longest).toBeLessThan(20);
});
