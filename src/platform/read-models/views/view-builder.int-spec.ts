import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { LogDamaged } from '../../event-store/lazy-event.ts';
import { integersColumn, textColumn } from '../authoring/columns.ts';
import { differencesOf } from '../admin/compare-schemas.ts';
import { defineView } from '../authoring/define-view.ts';
import { FillRateLimit, throttled } from '../engine/fill-rate-limit.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { viewUnit } from './unit.ts';
import { EventNotApplicable, ViewBuilder } from './view-builder.ts';
import { ViewRunner } from './view-runner.ts';
import { ensureViewTables, finishViewTables } from './view-tables.ts';

interface Row {
  readonly titles: readonly string[];
}

const rows = defineView<Row>()({
  name: 'rows',
  version: 1,
  scope: 'project',
  key: ({ scope }) => scope,
  on: {
    ProjectRenamed: (row, { data }) => {
      if (data.to === 'POISON') throw new Error('this title cannot be taken');
      return { titles: [...(row?.titles ?? []), data.to] };
    },
    ProjectDeleted: () => null,
  },
  columns: {
    last: textColumn((row: Row) => row.titles.at(-1) ?? null),
    lengths: integersColumn((row: Row) => row.titles.map(({ length }) => length)),
  },
});
const unit = viewUnit('spec', [rows]);
const ODD = ['plain', 'tab\tline\nreturn\r', 'back\\slash \\N', '"quoted" {a,b}', 'nul\u0000', '\uD800', '😀', ''];

let database: TestDatabase;
let log: SpecLog;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  log = new SpecLog(database.pool);
  await ensureViewTables(database.pool, unit);
});
afterAll(() => database.drop());

/** Keys recur after their rows left the memory; some rows are deleted and created again. */
const events = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    scope: `project-${String((n * 7) % 41)}`,
    type: n % 11 === 5 ? 'ProjectDeleted' : 'ProjectRenamed',
    data: n % 11 === 5 ? { title: '', url: '' } : { from: '', to: `${ODD[n % ODD.length] ?? ''}${String(n)}` },
  }));

async function sameAsLive(): Promise<void> {
  const live = `${unit.schema}_live`;
  await ensureViewTables(database.pool, unit, live);
  await finishViewTables(database.pool, unit, live);
  const runner = new ViewRunner(unit, log, database.pool, {}, live);
  await runner.begin();
  while ((await runner.applyPage(13)) > 0);
  expect(await differencesOf(database.pool, unit, live, unit.schema, Number.MAX_SAFE_INTEGER)).toEqual([]);
  expect((await database.pool.query(`SELECT 1 FROM ${unit.schema}.rows`)).rowCount).toBeGreaterThan(35);
}

const small = new FillRateLimit({ page: 7, pagesAhead: 3, rowsPerStatement: 1, share: 1 });
const builder = (): ViewBuilder => new ViewBuilder(unit, log, database.pool, unit.schema, small, 9);
const never = new AbortController().signal;

it('loads rows again that left the memory', async () => {
  await log.appendAll(events(600));
  expect(await builder().fill(599, never)).toBe(599);
  await sameAsLive();
});

it('rests while it copies the rows of a throttled fill', async () => {
  const to = 'x'.repeat(1_000);
  await log.appendAll(
    Array.from({ length: 100 }, (_, index) => ({ scope: `project-${String(index)}`, type: 'ProjectRenamed', data: { from: '', to } })),
  );
  const pace = throttled();
  const rests = jest.spyOn(pace, 'rest');
  expect(await new ViewBuilder(unit, log, database.pool, unit.schema, pace).fill(99, never)).toBe(99);
  // 100 rows have twice 100,000 characters, in the document and in a column.
  expect(rests.mock.calls.length - 100 / pace.page).toBe(Math.floor((100 * 2_000) / pace.copyCharacters));
});

it('resumes where it was interrupted', async () => {
  await log.appendAll(events(600));
  for (let reached = -1, round = 0; reached < 599; round++) {
    const stop = new AbortController();
    let pages = 0;
    const filling = builder();
    reached = await filling.fill(599, stop.signal, () => {
      if (++pages === 9) stop.abort();
    });
    if (round > 50) throw new Error('the fill makes no progress');
  }
  await sameAsLive();
});

it('fails on an event that cannot be applied, names it, and leaves no partial write', async () => {
  await log.appendAll(events(60));
  await log.append('project-1', 'ProjectRenamed', { from: '', to: 'POISON' });
  await log.appendAll(events(60));
  const failing = builder().fill(120, never);
  await expect(failing).rejects.toThrow(EventNotApplicable);
  await expect(failing).rejects.toThrow(/rows cannot apply ProjectRenamed at 60 .*skip the event/);
  const { rows: state } = await database.pool.query<{ n: string }>('SELECT n FROM projection');
  expect(Number(state[0]?.n)).toBeLessThan(60);
  await log.append('system', 'EventVoided', { n: 60, eventId: 'x', reason: 'bad title' });
  expect(await builder().fill(121, never)).toBe(121);
  await sameAsLive();
});

it('stops at an event that is damaged, which it does not take for a failure of a handler', async () => {
  await log.appendAll(events(20));
  await database.pool.query(`UPDATE log SET data = '{"from":' WHERE n = 15`);
  await expect(builder().fill(19, never)).rejects.toThrow(LogDamaged);
});

it('stops before an event is voided that it has folded already', async () => {
  await log.appendAll(events(30));
  const filling = builder();
  expect(await filling.fill(29, never)).toBe(29);
  await log.append('system', 'EventVoided', { n: 3, eventId: 'x', reason: 'mistake' });
  expect(await builder().fill(30, never)).toBe(29);
});
