import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { integer, text } from '../authoring/columns.ts';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { RowCache } from './row-cache.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { viewUnit } from './unit.ts';
import { ensureSchema, finishSchema } from './unit-schema.ts';
import { ViewRunner } from './view-runner.ts';
import { KeyParked } from './views.ts';
import { UnitViews } from './views-at.ts';

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
  columns: { title: text((row: Title) => row.title), changes: integer((row: Title) => row.changes) },
});

const unit = viewUnit('spec', [titles]);
const renamed = (to: string) => ({ from: '', to });

let database: TestDatabase;
let log: SpecLog;
let runner: ViewRunner;
let views: UnitViews;
let seen: number[];

beforeEach(async () => {
  poison = 'POISON';
  database = await createTestDatabase();
  log = new SpecLog(database.pool);
  seen = [];
  await ensureSchema(database.pool, unit);
  await finishSchema(database.pool, unit);
  runner = new ViewRunner(unit, log, database.pool, { advance: (n) => seen.push(n) });
  views = new UnitViews(unit, log, database.pool, () => runner.position);
  await runner.begin();
});
afterEach(() => database.drop());

const create = (id: string) => log.append(`project-${id}`, 'MemberAdded', { userId: 1, role: '4' });
const rename = (id: string, to: string) => log.append(`project-${id}`, 'ProjectRenamed', renamed(to));
const get = (id: string) => views.now().get(titles, id);

describe('a runner of views', () => {
  it('writes what a batch did and the checkpoint together, and then tells', async () => {
    await create('a');
    await rename('a', 'one');
    await create('b');
    expect(await runner.step()).toBe(3);
    expect(await get('a')).toEqual({ title: 'one', changes: 1 });
    expect(await get('b')).toEqual({ title: 'new', changes: 0 });
    expect(seen).toEqual([-1, 2]);
    expect(await runner.step()).toBe(0);
  });

  it('needs no memory of rows: a batch holds its own', async () => {
    const forgetful = new ViewRunner(unit, log, database.pool, { advance: () => undefined }, unit.schema, new RowCache(1));
    await forgetful.begin();
    const ids = Array.from({ length: 30 }, (_, index) => String(index));
    for (const id of ids) await create(id);
    await forgetful.step();
    for (const title of ['one', 'two']) for (const id of ids) await rename(id, title);
    await forgetful.step();
    const found = await views.now().many(titles, ids);
    expect([...found.values()]).toEqual(ids.map(() => ({ title: 'two', changes: 2 })));
  });

  it('goes on from its checkpoint, whoever ran before', async () => {
    await create('a');
    await runner.step();
    await rename('a', 'one');
    const other = new ViewRunner(unit, log, database.pool, { advance: () => undefined });
    await other.begin();
    await other.step();
    await rename('a', 'two');
    // The first one's cache is out of date: it has to notice before it writes anything.
    await expect(runner.step()).rejects.toThrow('no longer at 0');
    await runner.begin();
    await runner.step();
    expect(await get('a')).toEqual({ title: 'two', changes: 2 });
  });

  it('keeps what a row belonged to after it is gone', async () => {
    await create('a');
    await rename('a', 'one');
    await log.append('project-a', 'ProjectDeleted', { title: 'one', url: '' });
    await runner.step();
    expect(await get('a')).toBeNull();
    expect(await views.asOf(1).get(titles, 'a')).toEqual({ title: 'one', changes: 1 });
    expect(await views.asOf(2).get(titles, 'a')).toBeNull();
  });
});

describe('an event that cannot be folded', () => {
  beforeEach(async () => {
    await create('a');
    await create('b');
    await rename('a', 'POISON');
    await rename('b', 'fine');
    await rename('a', 'after');
    await runner.step();
  });

  it('parks its row alone, now and as of then', async () => {
    await expect(get('a')).rejects.toThrow(KeyParked);
    await expect(views.asOf(3).get(titles, 'a')).rejects.toThrow(KeyParked);
    expect(await views.asOf(1).get(titles, 'a')).toEqual({ title: 'new', changes: 0 });
    expect(await get('b')).toEqual({ title: 'fine', changes: 1 });
    await rename('a', 'later');
    await runner.step();
    await expect(get('a')).rejects.toThrow(KeyParked);
    const { rows } = await database.pool.query('SELECT view, key, n, type, attempts FROM projection_parked');
    expect(rows).toEqual([{ view: 'titles', key: 'a', n: '2', type: 'ProjectRenamed', attempts: 1 }]);
  });

  it('leaves its row as it was before to those who look after all rows at once, now and as of then', async () => {
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

  it('still waits after a restart', async () => {
    await rename('a', 'later');
    await runner.begin();
    await runner.step();
    await expect(get('a')).rejects.toThrow(KeyParked);
  });

  it('is taken with everything behind it on a retry, once the cause is mended', async () => {
    const retry = () => database.pool.query('UPDATE projection_parked SET retry = true');
    await retry();
    await runner.retry();
    await expect(get('a')).rejects.toThrow(KeyParked);
    const { rows } = await database.pool.query('SELECT attempts, retry FROM projection_parked');
    expect(rows).toEqual([{ attempts: 2, retry: false }]);
    poison = 'nothing';
    await retry();
    await runner.retry();
    expect(await get('a')).toEqual({ title: 'after', changes: 2 });
    expect((await database.pool.query('SELECT 1 FROM projection_parked')).rowCount).toBe(0);
    await rename('a', 'goes on');
    await runner.step();
    expect(await get('a')).toEqual({ title: 'goes on', changes: 3 });
  });

  it('is passed over everywhere once it is voided', async () => {
    await log.append('system', 'EventVoided', { n: 2, eventId: 'x', reason: 'bad title' });
    await runner.step();
    expect(await get('a')).toEqual({ title: 'after', changes: 1 });
    expect(await views.asOf(2).get(titles, 'a')).toEqual({ title: 'new', changes: 0 });
  });
});

describe('an event that was folded and is voided later', () => {
  it('leaves the rows as if it had never been', async () => {
    await create('a');
    await rename('a', 'one');
    await rename('a', 'two');
    await runner.step();
    await log.append('system', 'EventVoided', { n: 1, eventId: 'x', reason: 'mistake' });
    await rename('a', 'three');
    await runner.step();
    expect(await get('a')).toEqual({ title: 'three', changes: 2 });
    await log.append('system', 'EventVoided', { n: 0, eventId: 'x', reason: 'mistake' });
    await runner.step();
    expect(await get('a')).toBeNull();
    expect((await database.pool.query(`SELECT 1 FROM ${unit.schema}.titles`)).rowCount).toBe(0);
  });
});

describe('a row that stumbles over an event and is folded again in one batch', () => {
  it('waits for nobody', async () => {
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
    await ensureSchema(database.pool, alone);
    await finishSchema(database.pool, alone);
    const one = new ViewRunner(alone, log, database.pool, { advance: () => undefined });
    await one.begin();
    await rename('a', 'WRONG');
    await one.step();
    await rename('a', 'right');
    await log.append('system', 'EventVoided', { n: 0, eventId: 'x', reason: 'mistake' });
    await one.step();
    expect(await new UnitViews(alone, log, database.pool, () => 0).now().get(strict, 'a')).toEqual({ title: 'right', changes: 1 });
    expect((await database.pool.query('SELECT * FROM projection_parked')).rows).toEqual([]);
  });
});

describe('a checkpoint that does not fit the log', () => {
  it('is refused when the log is shorter', async () => {
    await create('a');
    await create('b');
    await runner.step();
    await database.pool.query('DELETE FROM log WHERE n = 1');
    await expect(runner.begin()).rejects.toThrow('the log ends at 0');
  });

  it('is refused when another event stands there', async () => {
    await create('a');
    await runner.step();
    await database.pool.query(`UPDATE log SET id = gen_random_uuid()`);
    await expect(runner.begin()).rejects.toThrow('another log');
  });
});

describe('an event whose row cannot even be named', () => {
  it('stops the views, and says which it is, until it is voided', async () => {
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
    await ensureSchema(database.pool, alone);
    await finishSchema(database.pool, alone);
    const stopped = new ViewRunner(alone, log, database.pool, { advance: () => undefined });
    await stopped.begin();
    await rename('a', 'NAMELESS');
    await rename('a', 'fine');
    await expect(stopped.step()).rejects.toThrow(/ProjectRenamed at 0 .* cannot be read: Error: no key/);
    await log.append('system', 'EventVoided', { n: 0, eventId: 'x', reason: 'no key' });
    expect(await stopped.step()).toBe(3);
    expect(await new UnitViews(alone, log, database.pool, () => 0).now().get(picky, 'fine')).toEqual({ title: 'fine', changes: 0 });
  });
});
