import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { booleanColumn, integerColumn, integersColumn, textColumn } from '../authoring/columns.ts';
import { defineView } from '../authoring/define-view.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { teamUnit, type ViewUnit } from './unit.ts';
import { ViewRunner } from './view-runner.ts';
import { dropSchema } from '../engine/schemas.ts';
import { ensureViewTables, finishViewTables } from './view-tables.ts';

interface Shown {
  readonly value: unknown;
}

/** One row for each title; the title is JSON that says what the row holds. */
const said = (title: string): unknown => (JSON.parse(title) as { value?: unknown }).value;
const titles = defineView<Shown>()({
  name: 'mine',
  version: 1,
  scope: 'project',
  key: ({ data }) => (JSON.parse(data.to) as { key: string }).key,
  on: { ProjectRenamed: (_, { data }) => (said(data.to) === 'NOTHING' ? (undefined as unknown as null) : { value: said(data.to) }) },
  columns: {
    number: integerColumn(({ value }: Shown) => (typeof value === 'number' ? value : null)),
    numbers: integersColumn(({ value }: Shown) => (Array.isArray(value) ? (value as number[]) : null)),
    word: textColumn(({ value }: Shown) => {
      if (value === 'THROWS') throw new Error('no column');
      return typeof value === 'string' ? value : null;
    }),
    flag: booleanColumn(({ value }: Shown) => (typeof value === 'boolean' ? value : null)),
  },
});

let database: TestDatabase;
let log: SpecLog;
let unit: ViewUnit;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await database.pool.query('TRUNCATE log');
  unit = teamUnit(titles);
  await dropSchema(database.pool, unit.schema);
  await ensureViewTables(database.pool, unit);
  await finishViewTables(database.pool, unit);
  log = new SpecLog(database.pool);
});
afterAll(() => database.drop());

/** Text that does not compress well. */
const long = Array.from({ length: 4_000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000))).join('');

async function step(events: readonly object[]): Promise<void> {
  const runner = new ViewRunner(unit, log, database.pool);
  await runner.begin();
  for (const event of events) await log.append('project-a', 'ProjectRenamed', { from: '', to: JSON.stringify(event) });
  await runner.applyPage();
}
const rows = async (): Promise<readonly object[]> =>
  (await database.pool.query<object>('SELECT key, doc FROM p_mine_v1.mine WHERE NOT parked ORDER BY key')).rows;
const parked = async (): Promise<readonly string[]> =>
  (await database.pool.query<{ error: string }>('SELECT error FROM projection_parked')).rows.map(({ error }) => error);
const fine = { key: 'fine', value: 7 };

describe('a row that its table cannot hold is parked, and no other', () => {
  it.each([
    ['the column word must be text of at most 2080 bytes, got “', long],
    ['the column number must be a whole number, got 1.5', 1.5],
    ['the column number must be a whole number, got 1e+300', 1e300],
    ['the column numbers must be a list of whole numbers, got 1,1.5', [1, 1.5]],
    ['a handler must return a row or null, got undefined', 'NOTHING'],
    ['no column', 'THROWS'],
  ])('%s', async (says, value) => {
    await step([{ key: 'a', value }, fine]);
    expect(await rows()).toEqual([{ key: 'fine', doc: { value: 7 } }]);
    expect(await parked()).toEqual([expect.stringContaining(says)]);
  });

  it('accepts keys and text up to the exact limit in bytes', async () => {
    const [longest, most] = ['ü'.repeat(300), long.slice(0, 693)];
    await step([{ key: longest, value: most }, fine]);
    expect((await rows()).length).toBe(2);
    expect(await parked()).toEqual([]);
  });
});

it('a key with characters that Postgres refuses is cleaned, the same before and after a restart', async () => {
  await step([{ key: 'a\u0000b\ud800', value: 1 }]);
  await step([{ key: 'a\u0000b\ud800', value: 2 }, fine]);
  expect(await rows()).toEqual([
    { key: 'a\ufffdb\ufffd', doc: { value: 2 } },
    { key: 'fine', doc: { value: 7 } },
  ]);
});

it('a key that is too long stops the view and names the event', async () => {
  await expect(step([{ key: long, value: 1 }])).rejects.toThrow(
    /ProjectRenamed at 0 .* cannot be read: RangeError: a key must have at most 600 bytes/,
  );
});
