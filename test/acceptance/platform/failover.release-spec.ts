import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DATABASE } from '../../failover/failover-pair.ts';
import { PostgresServer } from '../../failover/postgres-server.ts';
import { failOverInRounds, type Round } from '../../failover/rounds.ts';
import { KurrentDbDouble } from '../../support/kurrentdb-double/kurrentdb-double.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const { FAILOVER_ROUNDS } = process.env;
const isLong = FAILOVER_ROUNDS !== undefined;
/** For each number of instances: `npm run test:failover` asks for five (docs/faults.md#failover). */
const rounds = Number(FAILOVER_ROUNDS ?? 1);
/** 12 s on an idle machine; without the watch over connections it never resumed. */
const firstWriteWithinMs = isLong ? 12_000 : 40_000;
const say = (line: string): void => {
  if (isLong) process.stderr.write(`${line}\n`);
};

jest.setTimeout(600_000 * rounds);

const [synchronous, asynchronous] = ['synchronous', 'asynchronous'] as const;
const table: readonly (readonly [instances: number, possible: readonly Round[]])[] = [
  [
    1,
    [
      { failure: 'suspended', replication: synchronous, held: 'views' },
      { failure: 'vanished', replication: synchronous, held: 'append' },
      { failure: 'half-open', replication: synchronous, held: 'keyed insert' },
      { failure: 'suspended', replication: asynchronous, held: 'team projection' },
      { failure: 'killed', replication: asynchronous },
    ],
  ],
  [
    2,
    [
      { failure: 'killed', replication: synchronous },
      { failure: 'suspended', replication: synchronous, held: 'views' },
      { failure: 'suspended', replication: synchronous, held: 'seal' },
      { failure: 'vanished', replication: asynchronous, held: 'leases' },
      { failure: 'half-open', replication: asynchronous },
    ],
  ],
];

describe('a failover to a streaming standby', () => {
  it.each(table)('resumes writing, and loses and doubles nothing, with instances: %d', async (instances, possible) => {
    const plan = Array.from({ length: rounds }, () => possible)
      .flat()
      .slice(0, rounds);
    const found = await failOverInRounds({ instances, rounds: plan, firstWriteWithinMs, say });
    expect(found).toHaveLength(plan.length);
    const first = plan.findIndex(({ replication }) => replication === asynchronous);
    for (const { lost, seal } of found.slice(0, first < 0 ? undefined : first)) expect([lost, seal]).toEqual([0, 'intact']);
  });

  it('resumes the mirror of an event store, in which every event is kept', async () => {
    const double = await KurrentDbDouble.start();
    try {
      const plan: readonly Round[] = [{ failure: 'suspended', replication: asynchronous, held: 'mirror' }];
      const found = await failOverInRounds({ instances: 1, rounds: plan, eventStoreUrl: double.url, firstWriteWithinMs, say });
      expect(found).toHaveLength(1);
    } finally {
      await double.stop();
    }
  });
});

describe('a database that is suspended', () => {
  let folder: string;
  let server: PostgresServer;
  let service: TestService;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'watchledger-suspended-'));
    server = await PostgresServer.primary(join(folder, 'postgres'));
    await server.run(`CREATE DATABASE ${DATABASE}`);
    const database = { url: server.url(DATABASE), pool: new pg.Pool(), drop: () => Promise.resolve() };
    service = await TestService.start({ database });
  });
  afterAll(async () => {
    await service.stop();
    server.resume();
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is said in one log line, and does not keep the service from stopping in time', async () => {
    server.suspend();
    const lines = (): readonly string[] => service.log.filter((line) => line.includes('"the database does not answer'));
    await until(() => Promise.resolve(lines().length > 0), 10_000, 'the log line');
    const began = performance.now();
    const code = await service.terminate();
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(lines()).toHaveLength(1);
    // Either everything ended, or what had not is named.
    if (code !== 0) expect(service.log.join('\n')).toMatch(/"pending":\["/);
  });
});
