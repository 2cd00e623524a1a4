import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { defineProjection, type ProjectionTx } from '../authoring/define-projection.ts';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { ensureSetTables } from '../sets/set-tables.ts';
import { SetRunner } from '../sets/set-runner.ts';
import { SpecLog } from './spec-log.ts';
import { schemaOf } from '../engine/schema-names.ts';
import { dropSchema } from '../engine/schemas.ts';

let database: TestDatabase;
let log: SpecLog;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await database.pool.query('TRUNCATE log');
  await dropSchema(database.pool, 'p_mine_v1');
  log = new SpecLog(database.pool);
});
afterAll(() => database.drop());

const TABLE = 'CREATE TABLE title (title text PRIMARY KEY, times bigint)';
type Handler = (title: string, tx: ProjectionTx) => Promise<unknown> | undefined | void;
const mine = (handle: Handler, tables: readonly string[] = [TABLE], partition?: () => string) =>
  defineProjection({
    name: 'mine',
    version: 1,
    tables,
    on: { ProjectRenamed: ({ data }, tx) => handle(data.to, tx) },
    ...(partition !== undefined && { partition }),
  });

/** The error of the parked event, as an operator reads it. */
async function parkedBy(handle: Handler, tables?: readonly string[]): Promise<string> {
  const projection = mine(handle, tables);
  const schema = schemaOf(projection);
  await ensureSetTables(database.pool, projection, schema);
  await log.append('project-a', 'ProjectRenamed', { from: '', to: 'one' });
  const runner = new SetRunner(projection, log, database.pool, schema);
  await runner.begin();
  expect(await runner.applyPage(10)).toBe(1);
  const { rows } = await database.pool.query<{ error: string }>('SELECT error FROM projection_parked');
  return rows[0]?.error ?? 'nothing is parked';
}

describe('the error for the author of a projection names', () => {
  it.each([
    ['CheckFailt', 'projection mine: "CheckFailt" is not an event type; did you mean CheckFailed?'],
    ['checkFailed', 'projection mine: "checkFailed" is not an event type; did you mean CheckFailed?'],
    ['Xyz', 'projection mine: "Xyz" is not an event type'],
  ])('an unknown event type: %s', (type, says) => {
    const on = { [type]: () => undefined } as unknown as { readonly ProjectRenamed: () => undefined };
    expect(() => defineProjection({ name: 'mine', version: 1, tables: [], on })).toThrow(new Error(says));
    const view = { name: 'mine', version: 1, scope: 'project', key: scopeId, on: { [type]: () => null } as never } as const;
    expect(() => defineView()(view)).toThrow(new Error(says));
  });

  it('the statement of its tables that Postgres refuses', async () => {
    await expect(
      ensureSetTables(
        database.pool,
        mine(() => undefined, [TABLE, 'CREATE TABLE nonsense']),
        'p_mine_v1',
      ),
    ).rejects.toThrow('projection mine: Postgres refuses "CREATE TABLE nonsense" of its "tables": syntax error at end of input');
  });

  it('the version to raise after a table was changed, but accepts other line breaks', async () => {
    await ensureSetTables(
      database.pool,
      mine(() => undefined),
      'p_mine_v1',
    );
    await ensureSetTables(
      database.pool,
      mine(() => undefined, [TABLE.replace('(', '(\n   ')]),
      'p_mine_v1',
    );
    const changed = mine(() => undefined, [TABLE.replace('times', 'count')]);
    await expect(ensureSetTables(database.pool, changed, 'p_mine_v1')).rejects.toThrow(
      'projection mine: its "tables" were changed, but version 1 is filled already. Raise "version" to 2',
    );
  });

  it.each<[string, Handler]>([
    ["tx.add('titel', …): there is no table titel among", (title, tx) => tx.add('titel', { title }, { times: 1 })],
    ["tx.add('title', …): the table title lacks one of the columns title, tines", (title, tx) => tx.add('title', { title }, { tines: 1 })],
    ['relation "project" does not exist', (_, tx) => tx.query('SELECT * FROM project')],
  ])('%s', async (says, handle) => {
    expect(await parkedBy(handle)).toContain(says);
  });

  it('the unique constraint that tx.add needs', async () => {
    const said = await parkedBy((title, tx) => tx.add('title', { title }, { times: 1 }), ['CREATE TABLE title (title text, times bigint)']);
    expect(said).toContain("tx.add('title', …): the key (title) needs a PRIMARY KEY or UNIQUE constraint over just these columns");
  });

  it('a failed statement that was not awaited, and the process survives', async () => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', hear);
    const careless: Handler = (_, tx) => {
      void tx.query('SELECT * FROM nowhere');
    };
    expect(await parkedBy(careless)).toContain('relation "nowhere" does not exist');
    await new Promise((turn) => setImmediate(turn));
    process.off('unhandledRejection', hear);
    expect(unheard).toEqual([]);
  });

  it('a handler that hangs', async () => {
    const hangs: Handler = (title) => (title === 'one' ? new Promise(() => undefined) : undefined);
    expect(await parkedBy(hangs)).toContain('its handler does not end, and sent no statement for 3 seconds');
  });

  it.each(['COMMIT', ' rollback; ', 'Savepoint mine'])('a statement that would end the transaction: %s', async (statement) => {
    const ends: Handler = (_, tx) => tx.query(statement);
    expect(await parkedBy(ends)).toContain(`cannot end it: ${statement.trim()}`);
  });

  it('a statement after the end of its event', async () => {
    let late: ProjectionTx | undefined;
    const keeps: Handler = (_, tx) => {
      late = tx;
    };
    expect(await parkedBy(keeps)).toBe('nothing is parked');
    await expect(late?.query('SELECT 1')).rejects.toThrow('a handler has to await or return what it starts');
    expect(() => late?.add('title', { title: 'x' }, { times: 1 })).toThrow('the transaction of this event is over');
  });

  it('the event on which its "partition" fails', async () => {
    const lost = mine(
      () => undefined,
      [TABLE],
      () => {
        throw new Error('no idea');
      },
    );
    await ensureSetTables(database.pool, lost, 'p_mine_v1');
    const { id } = await log.append('project-a', 'ProjectRenamed', { from: '', to: 'one' });
    const runner = new SetRunner(lost, log, database.pool, 'p_mine_v1');
    await runner.begin();
    await expect(runner.applyPage(10)).rejects.toThrow(
      `ProjectRenamed at 0 (${id}) cannot be read: Error: "partition" of mine threw Error: no idea`,
    );
  });
});

it('a statement that was not awaited is part of its event', async () => {
  const careless: Handler = (title, tx) => {
    void tx.query('INSERT INTO title VALUES ($1, 1)', [title]);
    tx.add('title', { title }, { times: 1 });
  };
  expect(await parkedBy(careless)).toBe('nothing is parked');
  const { rows } = await database.pool.query('SELECT title, times::int FROM p_mine_v1.title');
  expect(rows).toEqual([{ title: 'one', times: 2 }]);
});
