import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { defineProjection } from './define-projection.ts';
import { defineView, scopeId } from './define-view.ts';
import { lawsOfProjection, lawsOfView } from './projection-laws.ts';
import { occurred, viewSpec } from './projection-spec.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

interface Row {
  title: string;
  at?: unknown;
}

const events = [
  occurred('project-a', 'ProjectRenamed', { from: '', to: 'one' }),
  occurred('project-b', 'ProjectRenamed', { from: '', to: 'one' }),
  occurred('project-a', 'ProjectRenamed', { from: 'one', to: 'two' }, '2026-05-01T00:00:00.000Z'),
];

const viewOf = (fold: (row: Row | null, to: string, at: string) => Row | null) =>
  defineView<Row>()({
    name: 'titles',
    version: 1,
    scope: 'project',
    key: scopeId,
    on: { ProjectRenamed: (row, { data, meta }) => fold(row, data.to, meta.occurredAt) },
  });

async function broken(view: ReturnType<typeof viewOf>): Promise<string> {
  for (const law of lawsOfView(view)) {
    try {
      await law.check(events, database.pool);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  return 'nothing';
}

it('lets a pure view pass, which may read the times that events name', async () => {
  expect(await broken(viewOf((_, title, at) => ({ title, at: new Date(at).getTime() })))).toBe('nothing');
});

it.each([
  ['the time', (_: Row | null, title: string) => ({ title, at: Date.now() })],
  ['the time', (_: Row | null, title: string) => ({ title, at: new Date().toISOString() })],
  ['a random number', (_: Row | null, title: string) => ({ title, at: Math.random() })],
  ['read only property', (row: Row | null, title: string) => (row === null ? { title } : Object.assign(row, { title }))],
  ['holds what JSON cannot', (_: Row | null, title: string) => ({ title, at: undefined })],
])('finds a view out that asks for or does: %s', async (complaint, fold) => {
  expect(await broken(viewOf(fold))).toContain(complaint);
});

it('finds a set projection out that depends on how events are batched', async () => {
  let batch = 0;
  const counted = defineProjection({
    name: 'counted',
    version: 1,
    tables: ['CREATE TABLE calls (nth int PRIMARY KEY)'],
    on: { ProjectRenamed: (_, tx) => tx.query('INSERT INTO calls VALUES ($1)', [++batch]) },
  });
  const [law] = lawsOfProjection(counted);
  await expect(law?.check(events, database.pool)).rejects.toThrow();
});

it('describes a view by what it shows after events', async () => {
  const spec = viewSpec(
    viewOf((_, title) => ({ title })),
    database.pool,
  );
  await spec.given(events).thenRows({ a: { title: 'two' }, b: { title: 'one' } });
  await expect(spec.given(events.slice(0, 1)).thenRows({ a: { title: 'two' } })).rejects.toThrow();
});
