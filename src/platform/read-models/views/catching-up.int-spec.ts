import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { differencesOf } from '../admin/compare-schemas.ts';
import { textColumn } from '../authoring/columns.ts';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { CheckpointMoved } from '../engine/checkpoint.ts';
import { UnreadableEvent } from '../engine/parked-events.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { viewUnit } from './unit.ts';
import { ensureViewTables, finishViewTables } from './view-tables.ts';
import { ViewRunner } from './view-runner.ts';

interface Title {
  readonly title: string;
  readonly changes: number;
}

const titles = defineView<Title>()({
  name: 'titles',
  version: 1,
  scope: 'project',
  key: (event) => {
    if (event.data.to === 'NAMELESS') throw new Error('no key');
    return scopeId(event);
  },
  on: {
    ProjectRenamed: (row, { data }) => {
      if (data.to === 'POISON') throw new Error('this title cannot be taken');
      return { title: data.to, changes: (row?.changes ?? 0) + 1 };
    },
  },
  columns: { title: textColumn((row: Title) => row.title) },
});

const unit = viewUnit('spec', [titles]);
const PAGED = 'paged';
const never = new AbortController().signal;

let database: TestDatabase;
let log: SpecLog;
let runner: ViewRunner;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  log = new SpecLog(database.pool);
  await ensureViewTables(database.pool, unit);
  await finishViewTables(database.pool, unit);
  await ensureViewTables(database.pool, unit, PAGED);
  runner = new ViewRunner(unit, log, database.pool);
  await runner.begin();
});
afterAll(() => database.drop());

let titlesGiven = 0;
const renames = (count: number, keys: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ scope: `project-${String(from + (index % keys))}`, type: 'ProjectRenamed' },
    data: { from: '', to: `title ${String(++titlesGiven)}` },
  }));
const rename = (key: number, to: string) => log.append(`project-${String(key)}`, 'ProjectRenamed', { from: '', to });
const voidEvent = (n: number) => log.append('system', 'EventVoided', { n, eventId: 'x', reason: 'mistake' });

/** The numbers of events of each step. */
async function catchUp(by = runner): Promise<readonly number[]> {
  const steps: number[] = [];
  await by.begin();
  for (;;) {
    const applied = await by.applyNext(never);
    if (applied === 0) return steps;
    steps.push(applied);
  }
}

/** Against a runner that takes a page at a time. */
async function expectSameAsPaged(): Promise<void> {
  const paged = new ViewRunner(unit, log, database.pool, {}, PAGED);
  await paged.begin();
  while ((await paged.applyPage()) > 0);
  expect(await differencesOf(database.pool, unit, PAGED, unit.schema, Number.MAX_SAFE_INTEGER)).toEqual([]);
  const { rows } = await database.pool.query<{ schema: string }>('SELECT schema, view, key, n::int FROM projection_parked');
  const parked = (schema: string) => rows.filter((row) => row.schema === schema).map((row) => ({ ...row, schema: '' }));
  expect(parked(unit.schema)).toEqual(parked(PAGED));
}

it('applies what it missed in one step, and new events page by page', async () => {
  await log.appendAll(renames(200, 50));
  expect(await catchUp()).toEqual([200]);
  await log.appendAll([...renames(6_000, 70), ...renames(3_000, 3_000, 100)]);
  expect(await catchUp()).toEqual([9_000]);
  await rename(1, 'new');
  expect(await catchUp()).toEqual([1]);
  await expectSameAsPaged();
});

it('leaves rows parked that were, and parks what it cannot apply', async () => {
  await log.appendAll(renames(100, 50));
  await rename(3, 'POISON');
  await catchUp();
  await log.appendAll(renames(6_000, 50));
  await rename(4, 'POISON');
  await rename(5, 'POISON');
  await log.appendAll(renames(9_000, 60));
  await catchUp();
  const { rowCount } = await database.pool.query('SELECT FROM projection_parked WHERE schema = $1', [unit.schema]);
  expect(rowCount).toBe(3);
  await expectSameAsPaged();
});

it('takes back what is voided on the way', async () => {
  await log.appendAll(renames(100, 50));
  await catchUp();
  await log.appendAll(renames(6_000, 50));
  await voidEvent(7);
  await voidEvent(3_000);
  await log.appendAll(renames(6_000, 50));
  await catchUp();
  await expectSameAsPaged();
});

it('stops at an unreadable event, with everything before it applied', async () => {
  await log.appendAll(renames(6_500, 50));
  await rename(1, 'NAMELESS');
  await log.appendAll(renames(6_000, 50));
  await expect(catchUp()).rejects.toThrow(UnreadableEvent);
  expect(runner.position).toBe(5_999);
  await voidEvent(6_500);
  await catchUp();
  await expectSameAsPaged();
});

it('writes each event once while two runners catch up, of which one has lost its lease', async () => {
  await log.appendAll(renames(12_000, 300));
  const other = new ViewRunner(unit, log, database.pool);
  const outcomes = await Promise.allSettled([catchUp(), catchUp(other)]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(CheckpointMoved);
  await catchUp();
  await expectSameAsPaged();
});

it('continues from the last written rows after it was interrupted', async () => {
  await log.appendAll(renames(12_000, 300));
  await runner.begin();
  const stopping = new AbortController();
  const step = runner.applyNext(stopping.signal);
  await sleep(50);
  stopping.abort();
  await step;
  expect(runner.position).toBeLessThan(11_999);
  const other = new ViewRunner(unit, log, database.pool);
  await catchUp(other);
  await expectSameAsPaged();
});
