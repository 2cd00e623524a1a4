import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { samples } from '../../test/samples/samples.ts';
import type { Events, EventType } from '../events.ts';
import { swapSchemas } from '../platform/read-models/engine/schemas.ts';
import { SpecLog } from '../platform/read-models/testing/spec-log.ts';
import { viewUnit } from '../platform/read-models/views/unit.ts';
import { UnitViews } from '../platform/read-models/views/unit-views.ts';
import { fillTo } from '../platform/read-models/views/view-fill.ts';
import { ViewRunner } from '../platform/read-models/views/view-runner.ts';
import { ensureViewTables, finishViewTables } from '../platform/read-models/views/view-tables.ts';
import { certificateView } from '../watches/certificate/certificate.view.ts';
import { projectView } from './project.view.ts';
import { standingView } from './standing.view.ts';

const unit = viewUnit('spec', [projectView, standingView, certificateView]);
const CHECKS = 2_000;

let database: TestDatabase;
let log: SpecLog;
let runner: ViewRunner;
let views: UnitViews;
beforeAll(async () => {
  database = await createTestDatabase();
  log = new SpecLog(database.pool);
  await ensureViewTables(database.pool, unit);
  await finishViewTables(database.pool, unit);
  runner = new ViewRunner(unit, log, database.pool);
  views = new UnitViews(unit, log, database.pool, () => runner.position);
  await runner.begin();
});
afterAll(() => database.drop());

type Happened = { readonly [Type in EventType]: readonly [Type, Partial<Events[Type]>?] }[EventType];

/** Applies these events of a project. */
async function happens(id: string, ...events: readonly Happened[]): Promise<void> {
  const sample = samples(id);
  await log.appendAll(events.map(([type, changes]) => ({ scope: `project-${id}`, type, data: { ...sample[type], ...changes } })));
  while ((await runner.applyNext(new AbortController().signal)) > 0);
}

const checkIds = (id: string, count: number) => Array.from({ length: count }, (_, index) => `${id}-${String(index)}`);
const create = (id: string, ...checks: readonly string[]) =>
  happens(id, ['ProjectCreated'], ...checks.map((checkId) => ['CheckCreated', { checkId }] as const));
const status = async (id: string) => (await views.now().get(projectView, id))?.status;
const asOfNow = async (id: string) => (await views.asOf(runner.position).get(projectView, id))?.status;

describe('the status of a project', () => {
  it('is that of its worst enabled check, in the tables as in the fold', async () => {
    await create('a', 'one', 'two');
    const steps: readonly (readonly [Happened, string | null])[] = [
      [['CheckPassed', { checkId: 'one' }], 'ok'],
      [['CheckFailed', { checkId: 'two', failing: { status: 'timeout', rules: [], failures: [] } }], 'timeout'],
      [['CheckFailed', { checkId: 'one' }], 'error'],
      [['CheckSwitched', { checkId: 'one', to: false }], 'timeout'],
      [['CheckDeleted', { checkId: 'two' }], null],
      [['CheckSwitched', { checkId: 'one', to: true }], 'error'],
      [['CheckRecovered', { checkId: 'one' }], 'ok'],
      [['CheckPassed', { checkId: 'gone' }], 'ok'],
      [['ProjectRenamed'], 'ok'],
    ];
    expect(await status('a')).toBeNull();
    for (const [event, expected] of steps) {
      await happens('a', event);
      expect([event[0], await status('a')]).toEqual([event[0], expected]);
      expect(await asOfNow('a')).toBe(expected);
    }
  });

  it('filters a list', async () => {
    for (const id of ['b', 'c', 'd']) await create(id, `${id}-check`);
    await happens('b', ['CheckFailed', { checkId: 'b-check' }]);
    await happens('c', ['CheckPassed', { checkId: 'c-check' }]);
    const listed = async (value: string | null) =>
      (await views.now().list(projectView, { summary: { status: value }, where: { members: { has: 1 } } })).map(({ key, row }) => [
        ...[key, row.status],
      ]);
    expect(await listed('error')).toEqual([['b', 'error']]);
    expect(await listed(null)).toEqual([['d', null]]);
  });

  it('is the same after a rebuild beside the old tables, and is maintained in the new ones', async () => {
    const next = `${unit.schema}_next`;
    await ensureViewTables(database.pool, unit, next);
    await fillTo({ unit, log, db: database.pool, schema: next, signal: new AbortController().signal }, runner.position);
    await finishViewTables(database.pool, unit, next);
    const statuses = async (schema: string) =>
      (await database.pool.query(`SELECT key, status FROM "${schema}".project ORDER BY key`)).rows as readonly unknown[];
    expect(await statuses(next)).toEqual(await statuses(unit.schema));
    await swapSchemas(database.pool, unit.schema, next, null);
    await runner.begin();
    await happens('b', ['CheckRecovered', { checkId: 'b-check' }]);
    expect(await status('b')).toBe('ok');
  });
});

describe('a verdict', () => {
  it('writes as little in a project with 2,000 checks as in one with a single check', async () => {
    const written = async (id: string, count: number): Promise<{ readonly bytes: number; readonly projectIsRewritten: boolean }> => {
      const ids = checkIds(id, count);
      await create(id, ...ids);
      await happens(id, ...ids.map((checkId) => ['CheckPassed', { checkId }] as const), ['CheckFailed', { checkId: ids[0] ?? '' }]);
      const [before, sent] = [await versionOf(id), bytesSent()];
      await happens(id, ['CheckFailureChanged', { checkId: ids[0] ?? '', to: { status: 'error', rules: [], failures: [] } }]);
      await happens(id, ['CheckRecovered', { checkId: ids[0] ?? '' }], ['CheckFailed', { checkId: ids[0] ?? '' }]);
      return { bytes: sent.stop(), projectIsRewritten: (await versionOf(id)) !== before };
    };
    const [one, many] = [await written('1', 1), await written('2', CHECKS)];
    expect(many.bytes).toBeLessThan(one.bytes + 100);
    expect([one.projectIsRewritten, many.projectIsRewritten]).toEqual([false, false]);
  });
});

/** The version of the stored row, which each write replaces. */
async function versionOf(projectId: string): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ version: string }>(
    `SELECT xmin::text AS version FROM "${unit.schema}".project WHERE key = $1`,
    [projectId],
  );
  return rows[0]?.version;
}

/** Counts what the runner sends to its tables. */
function bytesSent(): { stop(): number } {
  const query = database.pool.query.bind(database.pool);
  let bytes = 0;
  database.pool.query = ((statement: { readonly name?: string; readonly values?: unknown }, ...rest: unknown[]) => {
    if (statement.name?.startsWith('w') === true) bytes += JSON.stringify(statement.values).length;
    return (query as (...given: unknown[]) => unknown)(statement, ...rest);
  }) as typeof database.pool.query;
  return {
    stop: () => {
      database.pool.query = query;
      return bytes;
    },
  };
}

describe('look-ups by key', () => {
  it('keep one plan for any number of keys', async () => {
    const ids = ['a', 'b', 'c', 'd'];
    // One connection, whose prepared statements can be counted.
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const pinned = new UnitViews(unit, log, pool, () => runner.position).now();
    try {
      for (let round = 0; round < 12; round++) {
        const keys = ids.slice(0, 1 + (round % ids.length));
        await Promise.all(keys.map((id) => pinned.across([projectView, certificateView], id)));
        await Promise.all(keys.map((id) => pinned.get(projectView, id)));
      }
      const { rows } = await pool.query<{ name: string; custom: number; generic: number }>(
        `SELECT name, custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements WHERE name ~ '^(get|across)_' ORDER BY name`,
      );
      expect(rows.map(({ custom, generic }) => ({ custom, generic }))).toEqual([
        { custom: 5, generic: 7 },
        { custom: 5, generic: 7 },
      ]);
    } finally {
      await pool.end();
    }
  });
});
