import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DATABASE } from '../../failover/failover-pair.ts';
import { PostgresServer } from '../../failover/postgres-server.ts';
import { failOverInRounds } from '../../failover/rounds.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

jest.setTimeout(600_000);

describe('a failover to a streaming standby', () => {
  it('resumes writing when the primary is suspended while read models are written, and loses and doubles nothing', async () => {
    const said: string[] = [];
    const [figures] = await failOverInRounds({
      instances: 1,
      rounds: [{ failure: 'suspended', replication: 'synchronous', held: 'views' }],
      // 12 s on an idle machine (npm run test:failover); without the watch over connections it never resumed.
      firstWriteWithinMs: 40_000,
      say: (line) => said.push(line),
    });
    expect([figures?.lost, figures?.seal]).toEqual([0, 'intact']);
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
