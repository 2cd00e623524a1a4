import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { thorough } from '../../../../test/support/thorough.ts';
import { booleanColumn, gramsColumn, integerColumn, integersColumn, searchColumn, textColumn, textsColumn } from '../authoring/columns.ts';
import { defineView, type View } from '../authoring/define-view.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { viewUnit } from './unit.ts';
import { ViewRunner } from './view-runner.ts';
import { alsoIn, type ListQuery, listPositionOf } from './views.ts';
import { UnitViews } from './unit-views.ts';
import { ensureViewTables, finishViewTables } from './view-tables.ts';

interface Row {
  readonly title: string;
  readonly userId: number;
}

/** Odd titles and members, so that equal values, case, byte order and text that Postgres cannot hold all occur. */
const TITLES = ['a', 'A', 'b', 'Zoë', 'zoe', 'ä', '%_\\', "'; --", 'x\u0000y', '\uD800', '😀', '\uFFFD', ''];

const rows = defineView<Row>()({
  name: 'rows',
  version: 1,
  scope: 'project',
  key: ({ data }) => ('userId' in data ? String(data.userId) : null),
  on: {
    MemberAdded: (_, { data }) => ({ title: TITLES[data.userId % TITLES.length] ?? '', userId: data.userId }),
    MemberRemoved: () => null,
  },
  columns: {
    title: textColumn((row: Row) => (row.userId % 5 === 0 ? null : row.title)),
    found: searchColumn((row: Row) => row.title),
    grams: gramsColumn((row: Row) => row.title),
    rest: integerColumn((row: Row) => row.userId % 4),
    parts: integersColumn((row: Row) => [row.userId % 2, row.userId % 3]),
    words: textsColumn((row: Row) => (row.userId % 6 === 0 ? null : [row.title, TITLES[row.userId % 3] ?? ''])),
    even: booleanColumn((row: Row) => (row.userId % 7 === 0 ? null : row.userId % 2 === 0)),
  },
});
/** Every third row, under the same keys. */
const others = defineView<Row>()({
  name: 'others',
  version: 1,
  scope: 'project',
  key: ({ data }) => String(data.userId),
  on: { MemberAdded: (_, { data }) => (data.userId % 3 === 0 ? { title: 'other', userId: data.userId } : null) },
  columns: {
    title: textColumn((row: Row) => row.title, { indexed: false }),
    found: searchColumn((row: Row) => row.title),
    grams: gramsColumn((row: Row) => row.title),
    rest: integerColumn((row: Row) => row.userId % 4, { indexed: false }),
    parts: integersColumn((row: Row) => [row.userId % 2]),
    words: textsColumn((row: Row) => [row.title]),
    even: booleanColumn((row: Row) => row.userId % 2 === 0),
  },
  indexes: [
    ['scope', 'rest'],
    ['title', 'rest'],
  ],
});
const unit = viewUnit('spec', [rows, others]);

let database: TestDatabase;
let views: UnitViews;
beforeAll(async () => {
  database = await createTestDatabase();
  const log = new SpecLog(database.pool);
  const added = Array.from({ length: 60 }, (_, userId) => ({ scope: 'project-a', type: 'MemberAdded', data: { userId, role: '6' } }));
  await log.appendAll([...added, { scope: 'project-a', type: 'MemberRemoved', data: { userId: 3 } }]);
  await log.appendAll([{ scope: 'project-b', type: 'MemberAdded', data: { userId: 105, role: '6' } }]);
  await ensureViewTables(database.pool, unit);
  await finishViewTables(database.pool, unit);
  const runner = new ViewRunner(unit, log, database.pool);
  await runner.begin();
  await runner.applyPage();
  views = new UnitViews(unit, log, database.pool, () => runner.position);
});
afterAll(() => database.drop());

type Query = typeof rows extends View<Row, infer Extras> ? ListQuery<Extras> : never;

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 });
const title = fc.constantFrom(...TITLES);
const number = fc.integer({ min: -1, max: 4 });
const present = (given: object): object => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
const condition = fc
  .record({
    title: maybe(fc.oneof(fc.record({ eq: title }), fc.record({ in: fc.array(title, { maxLength: 3 }) }))),
    found: maybe(fc.record({ contains: fc.oneof(title, fc.constantFrom('O', 'x', '_')) })),
    grams: maybe(fc.record({ mayContain: fc.oneof(title, fc.constantFrom('O', 'x', '_', 'zo')) })),
    rest: maybe(fc.oneof(fc.record({ eq: number }), fc.record({ atLeast: number, atMost: number }), fc.record({ in: fc.array(number) }))),
    parts: maybe(fc.record({ has: number })),
    words: maybe(fc.record({ hasAll: fc.array(title, { maxLength: 2 }) })),
    even: maybe(fc.record({ eq: fc.boolean() })),
  })
  .map((given) => present(given));
const query = fc
  .record({
    keys: maybe(fc.array(fc.constantFrom('1', '2', '3', '14', '30', 'none', 'x\u0000y'), { maxLength: 4 })),
    where: maybe(condition),
    anyOf: maybe(fc.array(condition, { maxLength: 2 })),
    also: maybe(
      fc.array(
        fc.oneof(
          condition.map((where) => alsoIn(rows, where)),
          condition.map((where) => alsoIn(others, where)),
        ),
        { maxLength: 2 },
      ),
    ),
    order: maybe(
      fc.record({
        by: fc.constantFrom('title' as const, 'rest' as const, 'even' as const, 'found' as const),
        direction: fc.constantFrom('asc' as const, 'desc' as const),
      }),
    ),
    limit: maybe(fc.integer({ min: 0, max: 20 })),
  })
  .map((given): Query => ({ scope: 'project-a', ...present(given) }));

describe('a list', () => {
  it('is the same from the table and from the fold for any query', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const [now, then] = [await views.now().list(rows, asked), await views.asOf(60).list(rows, asked)];
        expect(JSON.stringify(then)).toBe(JSON.stringify(now));
      }),
      { numRuns: thorough(300, 60), examples: [[{ scope: 'project-a', anyOf: [{ words: { hasAll: [] } }] }]] },
    );
  });

  it('shows every row once over all pages', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 9 }), async (any, limit) => {
        const asked = { ...any, limit: 1_000 };
        const whole = await views.now().list(rows, asked);
        for (const reader of [views.now(), views.asOf(60)]) {
          const paged: string[] = [];
          let after: Query['after'];
          for (;;) {
            const page = await reader.list(rows, { ...asked, limit, ...(after !== undefined && { after }) });
            paged.push(...page.map(({ key }) => key));
            const last = page.at(-1);
            if (last === undefined || page.length < limit) break;
            after = listPositionOf(rows, last, asked.order);
          }
          expect(paged).toEqual(whole.map(({ key }) => key));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('answers the first row and the number of rows of each group, from the table as from the fold', async () => {
    const groups = [...TITLES.filter((text) => !text.includes('\u0000') && text !== '\uD800'), 'none'];
    const order = { by: 'rest', direction: 'desc' } as const;
    const also = [alsoIn(others, { rest: { atLeast: 1 } })];
    const [now, then] = await Promise.all(
      [views.now(), views.asOf(60)].map(async (reader) => ({
        firsts: [...(await reader.firsts(rows, 'title', groups, { scope: 'project-a', order }))].sort(),
        also: [...(await reader.firsts(rows, 'title', groups, { scope: 'project-a', order, also }))].sort(),
        counts: [...(await reader.counts(rows, 'title', groups, 'project-a'))].filter(([, count]) => count > 0).sort(),
      })),
    );
    expect(now).toEqual(then);
    expect([now?.firsts.length, now?.also.length, now?.counts.length]).toEqual([groups.length - 1, expect.any(Number), groups.length - 1]);
    expect(now?.also.length).toBeGreaterThan(1);
    expect(await views.now().firsts(rows, 'title', [], { scope: 'project-a' })).toEqual(new Map());
  });

  it('is read of several scopes at once as of each alone', async () => {
    const query = { where: { rest: { eq: 1 } } };
    const asked = ['project-a', 'project-b', 'project-c', 'project-a'].map((scope) => views.now().list(rows, { scope, ...query }));
    const [a, b, c, again] = await Promise.all(asked);
    const whole = await views.now().list(rows, query);
    expect(b).toHaveLength(1);
    expect([...(a ?? []), ...(b ?? [])].map(({ key }) => key).toSorted()).toEqual(whole.map(({ key }) => key).toSorted());
    expect([c, again]).toEqual([[], a]);
  });

  it('refuses to read across projects as of an instant', async () => {
    await expect(views.asOf(60).list(rows)).rejects.toThrow('within one project or account only');
  });

  it('finds rows by key, without missing ones', async () => {
    const keys = ['1', '3', '2', 'none'];
    for (const reader of [views.now(), views.asOf(60)]) expect([...(await reader.many(rows, keys)).keys()].sort()).toEqual(['1', '2']);
  });
});
