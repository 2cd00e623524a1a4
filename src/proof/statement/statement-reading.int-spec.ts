import type { CommandBus } from '@nestjs/cqrs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { insertEvents, tableLog } from '../../../test/support/log-table.ts';
import { inRecordedOrder, ledgerOf, MONTH_END, MONTH_START, octoberLog, PROJECT } from '../../../test/support/statement-world.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { type FindIssuedStatement, FindIssuedStatementHandler, IssueStatement, IssueStatementHandler } from './statement.commands.ts';
import { PostgresEventStore } from '../../platform/event-store/postgres/postgres-event-store.ts';
import { LogSearcher } from '../../platform/log/search.ts';
import { PostgresLog } from '../../platform/log/postgres-log.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { type StatementLedger, StatementReading } from './statement-reading.ts';
import type { SignedStatement } from './document.ts';
import { StatementEvidence } from './statement-evidence.ts';
import { readStatementQuery, type StatementQuery } from './statement-query.ts';
import { StatementStore } from './statement-store.ts';

const OCTOBER = readStatementQuery({ month: '2026-10' }, MONTH_END + 86_400_000);
const project = { id: PROJECT, title: 'Shop', url: 'https://shop.example' };
const CREATED = '2026-01-01T00:00:00.000Z';

let database: TestDatabase;
let isCosigned = true;
async function withOutages(count: number): Promise<void> {
  database = await createTestDatabase();
  const outages = Array.from({ length: count }, (_, outage) => {
    const from = MONTH_START + (outage * 10 + 1) * 3_600_000;
    return { from, to: from + 3_600_000, state: 'down', reason: 'refused' } as const;
  });
  await insertEvents(database.pool, inRecordedOrder(octoberLog({ outages })));
}
beforeEach(() => {
  isCosigned = true;
  return withOutages(1);
});
afterEach(() => database.drop());

type Step = (run: () => Promise<unknown>) => Promise<unknown>;
const asIs: Step = (run) => run();

/** One instance of the service: what it does at its steps is up to the test. */
function instance({ find = asIs, issue = asIs }: { readonly find?: Step; readonly issue?: Step } = {}): (
  query?: StatementQuery,
) => Promise<string> {
  const { pool } = database;
  const runner = new CommandRunner(new PostgresEventStore(pool, new LocalWake()));
  const execute = (command: FindIssuedStatement | IssueStatement): Promise<unknown> =>
    command instanceof IssueStatement
      ? issue(() => new IssueStatementHandler(runner).execute(command))
      : find(() => new FindIssuedStatementHandler(runner).execute(command));
  const ledger = async (): Promise<StatementLedger> => ledgerOf(await tableLog(pool).read({ after: -1, limit: 100_000 }));
  const reading = new StatementReading(
    new StatementEvidence(new LogSearcher(pool), new PostgresLog(pool, new LocalWake())),
    new StatementStore(pool),
    { knownIntervals: () => Promise.resolve([]) },
    {
      covering: async (...asked) => ({ ...(await (await ledger()).covering(...asked)), isCosigned }),
      prove: async (positions, checkpoint) => (await ledger()).prove(positions, checkpoint),
      signers: async () => (await ledger()).signers(),
    },
    // Cast: it executes these two commands only.
    { execute } as unknown as CommandBus,
    () => '',
  );
  return async (query = OCTOBER) => (await reading.read(project, CREATED, query)).text;
}

/** An event of the project that belongs to the evidence of October. */
async function enterMaintenance(windowId: string): Promise<void> {
  const window = { windowId, note: 'w', repeat: null, offsetMinutes: 0 };
  const [from, to] = [new Date(MONTH_START).toISOString(), new Date(MONTH_START + 3_600_000).toISOString()];
  await database.pool.query('SELECT append_one($1, $2, gen_random_uuid(), $3, 1::smallint, $4, $5, $6)', [
    ...[`test-${windowId}`, -1, 'MaintenanceScheduled', `project-${PROJECT}`, JSON.stringify({ ...window, from, to })],
    JSON.stringify({ actor: { kind: 'user', id: '1' }, correlationId: 'c', causationId: null, commandId: 'd', occurredAt: from }),
  ]);
}

const issued = async (): Promise<readonly { readonly edition: number; readonly sha256: string }[]> =>
  (await database.pool.query<{ data: string }>(`SELECT data FROM log WHERE type = 'StatementIssued' ORDER BY n`)).rows.map(
    ({ data }) => JSON.parse(data) as { edition: number; sha256: string },
  );
const documents = async (): Promise<number> => (await database.pool.query('SELECT FROM statement')).rowCount ?? 0;
const editionOf = (text: string): SignedStatement['edition'] => (JSON.parse(text) as SignedStatement).edition;

describe('the statement of a closed month', () => {
  it('is kept once the agreed witnesses have cosigned a checkpoint over its events, and answered meanwhile', async () => {
    const read = instance();
    isCosigned = false;
    expect(editionOf(await read())).toBeNull();
    expect([await issued(), await documents()]).toEqual([[], 0]);
    isCosigned = true;
    const kept = await read();
    expect(editionOf(kept)).toMatchObject({ number: 1 });
    isCosigned = false;
    expect([await read(), await documents()]).toEqual([kept, 1]);
  });

  it('is one edition in the same bytes when two instances issue it at once', async () => {
    const [one, other] = [instance(), instance()];
    const texts = await Promise.all(Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? one() : other())));
    expect([new Set(texts).size, await issued(), await documents()]).toEqual([1, [expect.objectContaining({ edition: 1 })], 1]);
    expect(editionOf(texts[0] ?? '')).toEqual({ number: 1, supersedes: null });
  });

  it('is one further edition after a correction, through whichever instance it is read first', async () => {
    const [one, other] = [instance(), instance()];
    const first = await one();
    await enterMaintenance('late');
    const texts = await Promise.all(Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? one() : other())));
    expect(new Set(texts).size).toBe(1);
    const [{ sha256 } = { sha256: '' }, ...later] = await issued();
    expect(later).toMatchObject([{ edition: 2 }]);
    expect(editionOf(texts[0] ?? '')).toMatchObject({ number: 2, supersedes: { number: 1, sha256 } });
    expect(texts[0]).not.toBe(first);
  });

  it('is not issued again with the less that a slow instance had read before', async () => {
    const second = instance();
    let text = '';
    // The log changes between the reading of the evidence and that of the issued editions.
    const slow = instance({
      find: async (run) => {
        if (text === '') {
          await enterMaintenance('meanwhile');
          text = await second();
        }
        return run();
      },
    });
    expect(await slow()).toBe(text);
    expect(await issued()).toMatchObject([{ edition: 1 }]);
    expect((JSON.parse(text) as SignedStatement).maintenance).toHaveLength(1);
  });

  it('is one edition after a crash between document and event, or between event and answer', async () => {
    const crash = new Error('killed');
    const before = instance({ issue: () => Promise.reject(crash) });
    await expect(before()).rejects.toBe(crash);
    expect(await issued()).toEqual([]);
    const after = instance({
      issue: async (run) => {
        await run();
        throw crash;
      },
    });
    await expect(after()).rejects.toBe(crash);
    const texts = [await instance()(), await instance()()];
    expect([new Set(texts).size, await issued()]).toEqual([1, [expect.objectContaining({ edition: 1 })]]);
  });

  it('is kept only as the objective says: other offsets and methods are computed at each request', async () => {
    const read = instance();
    for (const variation of [{ offset: '+01:00' }, { method: 'standard' }, { offset: '-03:00', method: 'standard' }]) {
      const text = await read(readStatementQuery({ month: '2026-10', ...variation }, Date.now()));
      expect(editionOf(text)).toBeNull();
    }
    expect([await issued(), await documents()]).toEqual([[], 0]);
    // The offset of the objective is no variation.
    expect(editionOf(await read(readStatementQuery({ month: '2026-10', offset: '+00:00' }, Date.now())))).toEqual({
      number: 1,
      supersedes: null,
    });
    expect(await read()).toBe(await read(readStatementQuery({ month: '2026-10', offset: '+00:00' }, Date.now())));
  });
});

it('reads the database as often for seventy incidents as for one', async () => {
  const query = readStatementQuery({ month: '2026-10', method: 'standard' }, Date.now());
  const readsOf = async (): Promise<readonly [incidents: number, reads: number]> => {
    let reads = 0;
    database.pool.on('acquire', () => reads++);
    const { incidents } = JSON.parse(await instance()(query)) as SignedStatement;
    return [incidents.length, reads];
  };
  const [, reads] = await readsOf();
  await database.drop();
  await withOutages(70);
  expect(await readsOf()).toEqual([70, reads]);
});
