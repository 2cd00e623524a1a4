import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { defineProjection, type Projection, type ProjectionTx } from '../authoring/define-projection.ts';
import { defineView, scopeId, type View } from '../authoring/define-view.ts';
import { projectionContract } from './projection-contract.ts';
import { occurred, viewSpec } from './projection-spec.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const events = [
  occurred('project-a', 'ProjectRenamed', { from: '', to: 'one' }),
  occurred('project-b', 'ProjectRenamed', { from: '', to: 'one' }),
  occurred('project-a', 'ProjectRenamed', { from: 'one', to: 'two' }, '2026-05-01T00:00:00.000Z'),
];

/** The first law that is broken, with its error. */
async function broken(projection: Projection | View, given = events): Promise<string> {
  for (const { says, check } of projectionContract(projection)) {
    try {
      await check(given, database.pool);
    } catch (error) {
      // Errors of Node are of another realm than the test's.
      return `${says}: ${typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)}`;
    }
  }
  return 'nothing';
}

interface Row {
  title: string;
  at?: unknown;
}

const viewOf = (fold: (row: Row | null, to: string, at: string) => Row | null) =>
  defineView<Row>()({
    name: 'titles',
    version: 1,
    scope: 'project',
    key: scopeId,
    on: { ProjectRenamed: (row, { data, meta }) => fold(row, data.to, meta.occurredAt) },
  });

describe('the contract of a view', () => {
  it('accepts a pure view, which may use the times of events', async () => {
    expect(await broken(viewOf((_, title, at) => ({ title, at: new Date(at).getTime() })))).toBe('nothing');
  });

  it.each([
    ['ProjectRenamed: Error: it asked for the time', (_: Row | null, title: string) => ({ title, at: Date.now() })],
    ['ProjectRenamed: Error: it asked for the time', (_: Row | null, title: string) => ({ title, at: new Date().toISOString() })],
    ['it asked for a random number', (_: Row | null, title: string) => ({ title, at: Math.random() })],
    ['read only property', (row: Row | null, title: string) => (row === null ? { title } : Object.assign(row, { title }))],
    ['holds a value that JSON cannot represent', (_: Row | null, title: string) => ({ title, at: undefined })],
  ])('rejects an impure fold: %s', async (complaint, fold) => {
    const said = await broken(viewOf(fold));
    expect(said).toContain(complaint);
    expect(said).toContain('view titles');
  });

  it('rejects state outside of the rows', async () => {
    let calls = 0;
    expect(await broken(viewOf((_, title) => ({ title, at: ++calls })))).toContain(
      'folding the same events twice gives two different results',
    );
  });
});

type Handler = (to: string, tx: ProjectionTx, scope: string) => Promise<unknown> | undefined | void;
const setOf = (handle: Handler, given: { readonly tables?: readonly string[]; readonly partition?: () => string } = {}): Projection =>
  defineProjection({
    name: 'titles',
    version: 1,
    tables: ['CREATE TABLE title (title text PRIMARY KEY, times bigint, at text)'],
    on: { ProjectRenamed: ({ data, scope }, tx) => handle(data.to, tx, scope) },
    ...given,
  });
const put = (tx: ProjectionTx, title: string, at: unknown) =>
  tx.query('INSERT INTO title VALUES ($1, 1, $2) ON CONFLICT (title) DO UPDATE SET at = excluded.at', [title, String(at)]);

describe('the contract of a projection that writes SQL', () => {
  it('accepts counters and queries of its own tables', async () => {
    expect(await broken(setOf((title, tx) => tx.add('title', { title }, { times: 1 })))).toBe('nothing');
    const asking = setOf(async (title, tx) => {
      const [row] = await tx.query<{ times: string }>('SELECT times FROM title WHERE title = $1', [title]);
      if (row === undefined) await tx.query('INSERT INTO title VALUES ($1, 1)', [title]);
      else await tx.query('UPDATE title SET times = $2 WHERE title = $1', [title, Number(row.times) + 1]);
    });
    expect(await broken(asking)).toBe('nothing');
  });

  it('accepts counters of a table that is named like a type of Postgres', async () => {
    const tables = ['CREATE TABLE name (name text PRIMARY KEY, times bigint)'];
    expect(await broken(setOf((title, tx) => tx.add('name', { name: title }, { times: 1 }), { tables }))).toBe('nothing');
  });

  it('requires an event for every handler', async () => {
    const projection = setOf((title, tx) => tx.add('title', { title }, { times: 1 }));
    expect(await broken(projection, [])).toContain('titles handles ProjectRenamed: add an event of each');
  });

  it('rejects deduplication in memory', async () => {
    let last = '';
    const dedupesInMemory = defineProjection({
      name: 'titles',
      version: 1,
      tables: ['CREATE TABLE title (title text PRIMARY KEY, times bigint)'],
      on: {
        ProjectRenamed: ({ id, data }, tx) => {
          if (id === last) return;
          last = id;
          tx.add('title', { title: data.to }, { times: 1 });
        },
      },
    });
    const said = await broken(dedupesInMemory);
    expect(said).toMatch(
      /^is not changed by an event that is delivered twice: projection titles: the table title differs\. delivered once: /,
    );
    expect(said).toContain('variables are not rolled back');
  });

  it('rejects state in variables', async () => {
    let calls = 0;
    expect(await broken(setOf((title, tx) => put(tx, title, ++calls)))).toContain('no state in variables');
  });

  it('rejects a dependence on batches', async () => {
    let batch: ProjectionTx | undefined;
    let nth = 0;
    const said = await broken(
      setOf((title, tx) => {
        nth = tx === batch ? nth + 1 : 1;
        batch = tx;
        return put(tx, title, nth);
      }),
    );
    expect(said).toMatch(/^is the same filled from nothing as fed live: projection titles: the table title differs\. fed live: /);
  });

  it('rejects a dependence on the order across partitions', async () => {
    const last: Handler = (title, tx) => put(tx, 'last', title);
    expect(await broken(setOf(last))).toMatch(/^depends on the order within a partition only: .* let "partition" put events together/);
    expect(await broken(setOf(last, { partition: () => 'all' }))).toBe('nothing');
  });

  it.each<[string, Handler]>([
    ['it asked for the time', (title, tx) => put(tx, title, Date.now())],
    ['it asked for a random number', (title, tx) => put(tx, title, Math.random() < 2)],
    ['it asked for a random id', (title, tx) => put(tx, title, crypto.randomUUID().length)],
    ['it asked for the network', (title, tx) => fetch('http://localhost').then(() => put(tx, title, ''))],
    [
      'now() is not deterministic; use a value of the event',
      (title, tx) => tx.query("INSERT INTO title VALUES ($1, 1, (now() > '2000-01-01')::text) ON CONFLICT DO NOTHING", [title]),
    ],
  ])('rejects clock, randomness and network: %s', async (complaint, handle) => {
    const said = await broken(setOf(handle));
    expect(said).toContain(complaint);
    expect(said).toMatch(/^uses neither a clock nor randomness: projection titles, ProjectRenamed/);
  });

  it('rejects a column default with a clock, but not text about clocks', async () => {
    const clock = 'CREATE TABLE title (title text PRIMARY KEY, times bigint, at timestamptz DEFAULT now())';
    const handle: Handler = (title, tx) => tx.add('title', { title }, { times: 1 });
    expect(await broken(setOf(handle, { tables: [clock] }))).toMatch(/: projection titles: (the table title differs|its tables)/);
    const quoted = `CREATE TABLE title (title text PRIMARY KEY, times bigint, at text DEFAULT 'now()') -- not now()`;
    expect(await broken(setOf(handle, { tables: [quoted] }))).toBe('nothing');
  });

  it.each([
    ['reads', 'SELECT count(*) FROM public.projection'],
    ['reads', 'SELECT count(*) FROM public.log'],
    ['writes', 'UPDATE public.lease SET epoch = 0'],
  ])('rejects a handler that %s other tables: %s', async (_, statement) => {
    const said = await broken(setOf((title, tx) => tx.query(statement).then(() => put(tx, title, ''))));
    expect(said).toMatch(
      /^uses no tables but its own: projection titles, ProjectRenamed: it uses public\.\w+\. It may use its own tables only/,
    );
  });

  it('names the handler whose statement fails', async () => {
    expect(await broken(setOf((_, tx) => tx.query('SELECT * FROM project')))).toContain(
      'projection titles, ProjectRenamed: error: relation "project" does not exist',
    );
  });
});

it('checks the rows of a view with viewSpec', async () => {
  const spec = viewSpec(
    viewOf((_, title) => ({ title })),
    database.pool,
  );
  await spec.given(events).thenRows({ a: { title: 'two' }, b: { title: 'one' } });
  await expect(spec.given(events.slice(0, 1)).thenRows({ a: { title: 'two' } })).rejects.toThrow();
});
