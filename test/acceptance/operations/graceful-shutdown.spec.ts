import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestAccounts } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: TestService;
let people: TestAccounts;
beforeAll(async () => {
  service = await TestService.start({ env: { REGISTRATION: 'open', RATE_LIMIT: '0' } });
  people = new TestAccounts(service);
});
afterAll(() => service.stop());

describe('SIGTERM', () => {
  it('lets requests in progress finish before the process ends', async () => {
    const owner = await people.register();
    const projectId = await people.project(owner);
    const { pool } = service.database;
    const blocking = await pool.connect();
    await blocking.query('BEGIN');
    await blocking.query('LOCK TABLE idempotency IN ACCESS EXCLUSIVE MODE');
    const api = owner.api.with({ 'idempotency-key': 'last' });
    const rules = [{ type: 'html', op: 'xpath', val: '//h1' }];
    const answers = Promise.all([
      api.post('/project/create', { url: 'https://example.com' }),
      api.post(`/project/${projectId}/tests`, { url: '/', name: 'Test', rules }),
    ]);
    answers.catch(() => undefined);
    const live = await fetch(`${service.url}/api/project/${projectId}/live`, {
      headers: { authorization: `Bearer ${owner.api.token ?? ''}` },
    });
    const received = live.text();
    received.catch(() => undefined);
    const waiting = async (): Promise<boolean> => {
      // The service itself may wait, too: it deletes old rows.
      const { rows } = await pool.query(
        `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE relation = 'idempotency'::regclass AND NOT granted AND query NOT LIKE 'DELETE%'`,
      );
      return rows.length >= 2;
    };
    await until(waiting, 5_000, 'the wait of both requests');
    process.kill(service.pid, 'SIGTERM');
    await until(refused, 2_000, 'the end of the listening');
    await blocking.query('COMMIT');
    blocking.release();
    expect((await answers).map(({ status }) => status)).toEqual([200, 200]);
    expect(await received).toContain('retry:');
    // A request during the shutdown is answered with 503, and logged as such.
    const troubles = service.log.filter((line) => line.includes('"level":"error"') && !line.includes('"msg":"request"'));
    expect(troubles).toEqual([]);
  });
});

const refused = (): Promise<boolean> =>
  fetch(`${service.url}/health/live`, { headers: { connection: 'close' } }).then(
    ({ status }) => status === 503,
    () => true,
  );
