import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { tableLog } from '../../../test/support/log-table.ts';
import { CountAccesses, CountAccessesHandler, RecordAccess, RecordAccessHandler } from './access.commands.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { PostgresEventStore } from '../../platform/event-store/postgres/postgres-event-store.ts';
import { StoreUnavailable } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { AccessRecorder } from './access-recorder.ts';
import { AccessStore } from './access-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

let projectId: string;
let isStoreAway = false;
beforeEach(() => {
  projectId = randomId().replaceAll('-', '').slice(0, 24);
  isStoreAway = false;
});

/** An instance with its own command runner. */
function instance(pool = database.pool, afterCommand: () => void = () => undefined): AccessRecorder {
  const runner = new CommandRunner(new PostgresEventStore(database.pool, new LocalWake()));
  const execute = async (command: unknown): Promise<undefined> => {
    if (isStoreAway) throw new StoreUnavailable('away');
    if (command instanceof RecordAccess) await new RecordAccessHandler(runner).execute(command);
    if (command instanceof CountAccesses) await new CountAccessesHandler(runner).execute(command);
    afterCommand();
  };
  const commands = { execute } as ConstructorParameters<typeof AccessRecorder>[0]['commands'];
  return new AccessRecorder({ accesses: new AccessStore(pool), commands, logger: pino({ enabled: false }) });
}

const read = (recorder: AccessRecorder, kind: 'export' | 'read' = 'export', tokenId = 'one') =>
  recorder.record({ projectId, kind, actor: { kind: 'token', id: '7', tokenId } });

const endDay = () => database.pool.query('UPDATE record_access SET day = day - 1');

async function events() {
  const all = await tableLog(database.pool).read({ after: -1, limit: 1_000, scope: `project-${projectId}` });
  return all.map(({ type, data, meta: { actor } }) => ({ type, actor, ...(data as { kind: string; count?: number }) }));
}

async function rows(): Promise<number> {
  return (await database.pool.query('SELECT FROM record_access WHERE project_id = $1', [projectId])).rowCount ?? 0;
}

describe('reads of the record', () => {
  it('leave one event per token, kind and day, and a count after the day, over all instances', async () => {
    const [one, other] = [instance(), instance()];
    await Promise.all([read(one), read(other), read(one), read(one, 'read'), read(other, 'export', 'two')]);
    for (let n = 0; n < 20; n++) await read(other);
    await Promise.all([one.close(), other.close()]);
    await Promise.all([instance().append(), instance().append()]);
    const actor = { kind: 'token', id: '7', tokenId: 'one' };
    const first = await events();
    expect(first).toHaveLength(3);
    expect(first).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'RecordAccessed', kind: 'export', actor }),
        expect.objectContaining({ type: 'RecordAccessed', kind: 'read', actor }),
        expect.objectContaining({ type: 'RecordAccessed', kind: 'export', actor: { ...actor, tokenId: 'two' } }),
      ]),
    );
    await endDay();
    await Promise.all([instance().append(), instance().append()]);
    expect((await events()).slice(3)).toEqual([
      expect.objectContaining({ type: 'RecordAccessesCounted', kind: 'export', count: 23, actor }),
    ]);
    expect(await rows()).toBe(0);
  });

  it('are in the database before the first of them is answered, and have their event after a crash', async () => {
    isStoreAway = true;
    await read(instance());
    expect(await rows()).toBe(1);
    isStoreAway = false;
    await instance().append();
    expect(await events()).toMatchObject([{ type: 'RecordAccessed' }]);
  });

  it('leave nothing twice after a crash between event and row', async () => {
    const dying = instance(database.pool, () => {
      throw new Error('killed');
    });
    await read(dying);
    await dying.append();
    await read(instance());
    await endDay();
    await dying.append();
    await instance().append();
    await instance().append();
    const types = (await events()).map(({ type }) => type);
    expect(types.filter((type) => type === 'RecordAccessesCounted')).toHaveLength(1);
    expect(await rows()).toBe(0);
  });

  it('are answered while the database takes no writes, and counted afterwards', async () => {
    let isReadOnly = true;
    const query = (...args: [string, unknown[]]) =>
      database.pool.query(
        isReadOnly ? `DO $$ BEGIN SET TRANSACTION READ ONLY; DELETE FROM record_access; END $$` : args[0],
        isReadOnly ? [] : args[1],
      );
    const recorder = instance({ query } as unknown as typeof database.pool);
    await read(recorder);
    await read(recorder);
    expect(await rows()).toBe(0);
    isReadOnly = false;
    await read(recorder);
    await recorder.close();
    const counted = await database.pool.query<{ reads: string }>('SELECT reads FROM record_access WHERE project_id = $1', [projectId]);
    expect(counted.rows).toEqual([{ reads: '3' }]);
  });
});
