import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { defineProjection } from '../authoring/define-projection.ts';
import { ParkedPartitions } from './parked-partitions.ts';
import type { ParkedEvent } from '../engine/parked-events.ts';
import { SetEvents } from './set-events.ts';
import { ensureSetTables, setTransaction } from './set-tables.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { schemaOf } from '../engine/schema-names.ts';

let poison: readonly string[];
const titles = defineProjection({
  name: 'titles',
  version: 1,
  tables: ['CREATE TABLE title (n bigint PRIMARY KEY, project text, title text)'],
  on: {
    ProjectRenamed: async ({ n, scope, data }, tx) => {
      if (poison.includes(data.to)) throw new Error('not applicable');
      await tx.query('INSERT INTO title VALUES ($1, $2, $3)', [n, scope, data.to]);
    },
  },
});
const schema = schemaOf(titles);

let database: TestDatabase;
let log: SpecLog;
let parked: ParkedPartitions;
let troubles: ParkedEvent[];
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  poison = ['POISON'];
  troubles = [];
  await emptied(database);
  log = new SpecLog(database.pool);
  await ensureSetTables(database.pool, titles, schema);
  parked = await anew();
});
afterAll(() => database.drop());

/** As after a start, from the tables alone. */
async function anew(): Promise<ParkedPartitions> {
  const events = new SetEvents(titles, log);
  await events.refresh();
  const made = new ParkedPartitions({
    ...{ projection: titles, events, log, db: database.pool, schema },
    onParked: (trouble) => troubles.push(trouble),
  });
  await made.begin();
  return made;
}

const rename = (project: string, to: string) => log.append(`project-${project}`, 'ProjectRenamed', { from: '', to });
const all = () => log.read({ after: -1, limit: 100 });
async function applyAll(): Promise<ReadonlySet<string>> {
  const events = parked.withoutParked((await all()).filter(({ type }) => type === 'ProjectRenamed'));
  return setTransaction(database.pool, schema, (tx, client) => parked.applyEach(tx, client, events));
}
const shown = async (): Promise<readonly string[]> =>
  (await database.pool.query<{ title: string }>(`SELECT title FROM ${schema}.title ORDER BY n`)).rows.map(({ title }) => title);
const waiting = async (): Promise<readonly object[]> =>
  (await database.pool.query<object>('SELECT key, n::int, attempts, retry FROM projection_parked ORDER BY key')).rows;
const askToRetry = () => database.pool.query('UPDATE projection_parked SET retry = true');
const wantsRebuild = async (): Promise<boolean> =>
  (await database.pool.query<{ rebuild: boolean }>('SELECT rebuild FROM projection WHERE schema = $1', [schema])).rows[0]?.rebuild === true;

async function voided(n: number): Promise<void> {
  await log.append('system', 'EventVoided', { n, eventId: 'x', reason: 'mistake' });
  const voiding = (await all()).at(-1);
  if (voiding !== undefined) await parked.handleVoiding(voiding);
}

describe('an event that cannot be applied', () => {
  beforeEach(async () => {
    await rename('a', 'one');
    await rename('b', 'POISON');
    await rename('a', 'two');
    await rename('b', 'behind it');
    expect([...(await applyAll())]).toEqual(['project-b']);
  });

  it('parks its partition and no other, and reports it', async () => {
    expect(await shown()).toEqual(['one', 'two']);
    expect(await waiting()).toEqual([{ key: 'project-b', n: 1, attempts: 1, retry: false }]);
    expect(troubles).toMatchObject([
      { view: 'titles', key: 'project-b', n: 1, type: 'ProjectRenamed', error: expect.stringContaining('not applicable') },
    ]);
    const behind = (await anew()).withoutParked(await all());
    expect(behind.map(({ scope }) => scope)).toEqual(['project-a', 'project-a']);
  });

  it('is retried on request, with the events behind it, in order', async () => {
    poison = [];
    await parked.retry(3);
    expect(await shown()).toEqual(['one', 'two']);
    await askToRetry();
    await parked.retry(3);
    expect(await shown()).toEqual(['one', 'POISON', 'two', 'behind it']);
    expect(await waiting()).toEqual([]);
    expect(parked.withoutParked(await all())).toHaveLength(4);
  });

  it('stays parked when it fails again, with the events behind it', async () => {
    await askToRetry();
    await parked.retry(3);
    expect(await shown()).toEqual(['one', 'two']);
    expect(await waiting()).toEqual([{ key: 'project-b', n: 1, attempts: 2, retry: false }]);
  });

  it('releases the events behind it once it is voided', async () => {
    await voided(1);
    await parked.retry(4);
    expect(await shown()).toEqual(['one', 'two', 'behind it']);
    expect(await waiting()).toEqual([]);
    expect(await wantsRebuild()).toBe(false);
  });

  it('requests no rebuild when an event behind it is voided', async () => {
    await voided(3);
    expect(await wantsRebuild()).toBe(false);
    poison = [];
    await askToRetry();
    await parked.retry(4);
    expect(await shown()).toEqual(['one', 'POISON', 'two']);
  });

  it('requests a rebuild when an applied event is voided', async () => {
    await voided(0);
    expect(await wantsRebuild()).toBe(true);
  });
});
