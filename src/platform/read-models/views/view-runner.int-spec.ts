import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { integerColumn, textColumn } from '../authoring/columns.ts';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { RowCache } from './row-cache.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { viewUnit } from './unit.ts';
import { ViewRunner } from './view-runner.ts';
import { KeyParked } from './views.ts';
import { UnitViews } from './unit-views.ts';
import { ensureViewTables, finishViewTables } from './view-tables.ts';

interface Title {
  readonly title: string;
  readonly changes: number;
}

let poison = 'POISON';

const titles = defineView<Title>()({
  name: 'titles',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: {
    MemberAdded: () => ({ title: 'new', changes: 0 }),
    ProjectRenamed: (row, { data }) => {
      if (data.to === poison) throw new Error('this title cannot be taken');
      return row && { title: data.to, changes: row.changes + 1 };
    },
    ProjectDeleted: () => null,
  },
  columns: { title: textColumn((row: Title) => row.title), changes: integerColumn((row: Title) => row.changes) },
});

const unit = viewUnit('spec', [titles]);
const renamed = (to: string) => ({ from: '', to });

let database: TestDatabase;
let log: SpecLog;
let runner: ViewRunner;
let views: UnitViews;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  poison = 'POISON';
  await emptied(database);
  log = new SpecLog(database.pool);
  await ensureViewTables(database.pool, unit);
  await finishViewTables(database.pool, unit);
  runner = new ViewRunner(unit, log, database.pool);
  views = new UnitViews(unit, log, database.pool, () => runner.position);
  await runner.begin();
});
afterAll(() => database.drop());

const create = (id: string) => log.append(`project-${id}`, 'MemberAdded', { userId: 1, role: '4' });
const rename = (id: string, to: string) => log.append(`project-${id}`, 'ProjectRenamed', renamed(to));
const get = (id: string) => views.now().get(titles, id);

describe('ViewRunner', () => {
  it('writes the changes of a page together with the checkpoint', async () => {
    await create('a');
    await rename('a', 'one');
    await create('b');
    expect(await runner.applyPage()).toBe(3);
    expect(await get('a')).toEqual({ title: 'one', changes: 1 });
    expect(await get('b')).toEqual({ title: 'new', changes: 0 });
    expect(runner.position).toBe(2);
    expect(await runner.applyPage()).toBe(0);
  });

  it('works without a cache of rows', async () => {
    const forgetful = new ViewRunner(unit, log, database.pool, {}, unit.schema, new RowCache(1));
    await forgetful.begin();
    const ids = Array.from({ length: 30 }, (_, index) => String(index));
    for (const id of ids) await create(id);
    await forgetful.applyPage();
    for (const title of ['one', 'two']) for (const id of ids) await rename(id, title);
    await forgetful.applyPage();
    const found = await views.now().many(titles, ids);
    expect([...found.values()]).toEqual(ids.map(() => ({ title: 'two', changes: 2 })));
  });

  it('continues from the checkpoint of another runner', async () => {
    await create('a');
    await runner.applyPage();
    await rename('a', 'one');
    const other = new ViewRunner(unit, log, database.pool);
    await other.begin();
    await other.applyPage();
    await rename('a', 'two');
    // The first runner's cache is out of date: it has to notice before it writes.
    await expect(runner.applyPage()).rejects.toThrow('no longer at 0');
    await runner.begin();
    await runner.applyPage();
    expect(await get('a')).toEqual({ title: 'two', changes: 2 });
  });

  it('keeps the scope of a deleted row', async () => {
    await create('a');
    await rename('a', 'one');
    await log.append('project-a', 'ProjectDeleted', { title: 'one', url: '' });
    await runner.applyPage();
    expect(await get('a')).toBeNull();
    expect(await views.asOf(1).get(titles, 'a')).toEqual({ title: 'one', changes: 1 });
    expect(await views.asOf(2).get(titles, 'a')).toBeNull();
  });
});

describe('an event that cannot be applied', () => {
  beforeEach(async () => {
    await create('a');
    await create('b');
    await rename('a', 'POISON');
    await rename('b', 'fine');
    await rename('a', 'after');
    await runner.applyPage();
  });

  it('parks its row and no other, now and as of that instant', async () => {
    await expect(get('a')).rejects.toThrow(KeyParked);
    await expect(views.asOf(3).get(titles, 'a')).rejects.toThrow(KeyParked);
    expect(await views.asOf(1).get(titles, 'a')).toEqual({ title: 'new', changes: 0 });
    expect(await get('b')).toEqual({ title: 'fine', changes: 1 });
    await rename('a', 'later');
    await runner.applyPage();
    await expect(get('a')).rejects.toThrow(KeyParked);
    const { rows } = await database.pool.query('SELECT view, key, n, type, attempts FROM projection_parked');
    expect(rows).toEqual([{ view: 'titles', key: 'a', n: '2', type: 'ProjectRenamed', attempts: 1 }]);
  });

  it('leaves its row as before to readers of all rows, now and as of that instant', async () => {
    const [a, b] = [
      { title: 'new', changes: 0 },
      { title: 'fine', changes: 1 },
    ];
    await expect(views.now().list(titles)).rejects.toThrow(KeyParked);
    expect(await views.now().list(titles, { parked: 'as before' })).toEqual([
      { key: 'a', row: a, isParked: true },
      { key: 'b', row: b },
    ]);
    expect(await views.now().many(titles, ['a', 'b'], 'as before')).toEqual(new Map(Object.entries({ a, b })));
    const asOf = await views.asOf(3).list(titles, { scope: 'project-a', parked: 'as before' });
    expect(asOf).toEqual([{ key: 'a', row: a, isParked: true }]);
    expect(await views.asOf(3).many(titles, ['a'], 'as before')).toEqual(new Map(Object.entries({ a })));
  });

  it('stays parked after a restart', async () => {
    await rename('a', 'later');
    await runner.begin();
    await runner.applyPage();
    await expect(get('a')).rejects.toThrow(KeyParked);
  });

  it('is applied with all later events on a retry, once the cause is corrected', async () => {
    const retry = () => database.pool.query('UPDATE projection_parked SET retry = true');
    await retry();
    await runner.retryParked();
    await expect(get('a')).rejects.toThrow(KeyParked);
    const { rows } = await database.pool.query('SELECT attempts, retry FROM projection_parked');
    expect(rows).toEqual([{ attempts: 2, retry: false }]);
    poison = 'nothing';
    await retry();
    await runner.retryParked();
    expect(await get('a')).toEqual({ title: 'after', changes: 2 });
    expect((await database.pool.query('SELECT 1 FROM projection_parked')).rowCount).toBe(0);
    await rename('a', 'continues');
    await runner.applyPage();
    expect(await get('a')).toEqual({ title: 'continues', changes: 3 });
  });

  it('is skipped everywhere once it is voided', async () => {
    await log.append('system', 'EventVoided', { n: 2, eventId: 'x', reason: 'bad title' });
    await runner.applyPage();
    expect(await get('a')).toEqual({ title: 'after', changes: 1 });
    expect(await views.asOf(2).get(titles, 'a')).toEqual({ title: 'new', changes: 0 });
  });
});

describe('an applied event that is voided later', () => {
  it('leaves the rows as without it', async () => {
    await create('a');
    await rename('a', 'one');
    await rename('a', 'two');
    await runner.applyPage();
    await log.append('system', 'EventVoided', { n: 1, eventId: 'x', reason: 'mistake' });
    await rename('a', 'three');
    await runner.applyPage();
    expect(await get('a')).toEqual({ title: 'three', changes: 2 });
    await log.append('system', 'EventVoided', { n: 0, eventId: 'x', reason: 'mistake' });
    await runner.applyPage();
    expect(await get('a')).toBeNull();
    expect((await database.pool.query(`SELECT 1 FROM ${unit.schema}.titles`)).rowCount).toBe(0);
  });
});

describe('a row that is parked and folded again in one batch', () => {
  it('is not parked', async () => {
    const strict = defineView<Title>()({
      name: 'strict',
      version: 1,
      scope: 'project',
      key: scopeId,
      on: {
        ProjectRenamed: (row, { data }) => {
          if (row?.title === 'WRONG') throw new Error('nothing comes after this');
          return { title: data.to, changes: (row?.changes ?? 0) + 1 };
        },
      },
    });
    const alone = viewUnit('strict', [strict]);
    await ensureViewTables(database.pool, alone);
    await finishViewTables(database.pool, alone);
    const one = new ViewRunner(alone, log, database.pool);
    await one.begin();
    await rename('a', 'WRONG');
    await one.applyPage();
    await rename('a', 'right');
    await log.append('system', 'EventVoided', { n: 0, eventId: 'x', reason: 'mistake' });
    await one.applyPage();
    expect(await new UnitViews(alone, log, database.pool, () => 0).now().get(strict, 'a')).toEqual({ title: 'right', changes: 1 });
    expect((await database.pool.query('SELECT * FROM projection_parked')).rows).toEqual([]);
  });
});

describe('a checkpoint of another log', () => {
  it('is refused when the log is shorter', async () => {
    await create('a');
    await create('b');
    await runner.applyPage();
    await database.pool.query('DELETE FROM log WHERE n = 1');
    await expect(runner.begin()).rejects.toThrow('the log ends at 0');
  });

  it('is refused when the log has another event at its position', async () => {
    await create('a');
    await runner.applyPage();
    await database.pool.query(`UPDATE log SET id = gen_random_uuid()`);
    await expect(runner.begin()).rejects.toThrow('another log');
  });
});

describe('an event whose row cannot be determined', () => {
  it('stops the views, and is named, until it is voided', async () => {
    const picky = defineView<Title>()({
      name: 'picky',
      version: 1,
      scope: 'project',
      key: ({ data }) => {
        if (data.to === 'NAMELESS') throw new Error('no key');
        return data.to;
      },
      on: { ProjectRenamed: (_, { data }) => ({ title: data.to, changes: 0 }) },
    });
    const alone = viewUnit('picky', [picky]);
    await ensureViewTables(database.pool, alone);
    await finishViewTables(database.pool, alone);
    const stopped = new ViewRunner(alone, log, database.pool);
    await stopped.begin();
    await rename('a', 'NAMELESS');
    await rename('a', 'fine');
    await expect(stopped.applyPage()).rejects.toThrow(/ProjectRenamed at 0 .* cannot be read: Error: no key/);
    await log.append('system', 'EventVoided', { n: 0, eventId: 'x', reason: 'no key' });
    expect(await stopped.applyPage()).toBe(3);
    expect(await new UnitViews(alone, log, database.pool, () => 0).now().get(picky, 'fine')).toEqual({ title: 'fine', changes: 0 });
  });
});
