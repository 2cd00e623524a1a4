import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { watchledger } from '../../support/command-line.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { SeveringProxy } from '../../support/severing-proxy.ts';
import { until } from '../../support/until.ts';

let log: TestDatabase;
let apart: TestDatabase;
let proxy: SeveringProxy;
let proxied: string;
let service: TestService;
let site: Site;
let api: ApiClient;
let id: string;
let asked = 0;

const start = async (observationsUrl: string | undefined, beside?: TestService): Promise<TestService> => {
  const env = { RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8', OBSERVATIONS_URL: observationsUrl ?? '' };
  return TestService.start({ ...(beside === undefined ? { database: log } : { beside }), env });
};

beforeAll(async () => {
  [log, apart] = await Promise.all([createTestDatabase(), createEmptyDatabase()]);
  const address = new URL(apart.url);
  proxy = await SeveringProxy.before(Number(address.port));
  address.port = String(proxy.address.port);
  proxied = address.href;
  site = await startHttp((_, response) => {
    asked++;
    response.setHeader('content-type', 'text/html').end('<title>Shop</title><p>Welcome</p>');
  });
  // As an installation is before its observations are moved.
  service = await start(undefined);
  api = await new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);
  ({ id } = (await api.post('/project/create', { url: site.url })).body as { id: string });
  await api.put(`/project/${id}`, { uptimeEnabled: '15', period: '5 minutes' });
});
afterAll(async () => {
  await service.stop();
  await site.close();
  await proxy.close();
  await apart.drop();
});

const samplesIn = async ({ pool }: TestDatabase): Promise<number> => (await pool.query('SELECT FROM sample_flush')).rowCount ?? 0;
const readiness = async (): Promise<{ readonly status: number; readonly parts: Readonly<Record<string, string>> }> => {
  const answer = await fetch(`${service.url}/health/ready`);
  const { parts } = (await answer.json()) as { readonly parts: Readonly<Record<string, string>> };
  return { status: answer.status, parts };
};
const isReady = async (): Promise<boolean> => (await readiness()).status === 200;

describe('observations in a database of their own', () => {
  it('are moved there beside a running service, which suspends its checks and starts anew with it only', async () => {
    await until(async () => (await samplesIn(log)) > 0, 30_000, 'a sample is stored with the log');
    const move = watchledger(
      { DATABASE_URL: log.url, MASTER_KEY: service.masterKey, OBSERVATIONS_URL: apart.url },
      'observations',
      'move',
      '--json',
    );
    const { status, out, err } = await move.ran;
    expect([status, status === 0 ? '' : err]).toEqual([0, '']);
    const moved = JSON.parse(out) as { readonly pausedMs: number };
    expect(moved.pausedMs).toBeLessThan(10_000);
    await until(() => Promise.resolve(service.log.some((line) => line.includes('checks suspended'))), 10_000, 'it says so');
    const [before, there] = [asked, await samplesIn(apart)];
    expect(there).toBeGreaterThan(0);
    await service.kill();
    await expect(start(undefined, service)).rejects.toThrow(
      /OBSERVATIONS_URL is not set, and the observations of this installation are in/,
    );
    service = await start(proxied, service);
    api = await new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);
    await until(async () => (await samplesIn(apart)) > there, 30_000, 'a sample is stored apart');
    expect(asked).toBeGreaterThan(before);
    expect((await readiness()).parts).toMatchObject({ observations: 'ok' });
  });

  it('may be away: checks are suspended, readiness names them, and what needs none is answered', async () => {
    proxy.refuse(true);
    proxy.dropConnections();
    await until(async () => !(await isReady()), 30_000, 'readiness shows it');
    expect((await readiness()).parts['observations']).not.toBe('ok');
    expect((await api.get(`/project/${id}`)).status).toBe(200);
    expect((await api.put(`/project/${id}`, { title: 'Changed meanwhile' })).status).toBe(200);
    await until(
      () => Promise.resolve(service.log.some((line) => line.includes('observations cannot be stored'))),
      40_000,
      'checks are suspended',
    );
    const before = asked;
    proxy.refuse(false);
    await until(isReady, 30_000, 'it is ready again');
    await until(() => Promise.resolve(asked > before), 40_000, 'checks go on');
    const stored = await samplesIn(apart);
    await until(async () => (await samplesIn(apart)) > stored, 40_000, 'samples are stored again');
  });

  it('do not keep the service from starting while they are away', async () => {
    proxy.refuse(true);
    proxy.dropConnections();
    await service.kill();
    service = await start(proxied, service);
    const { status, parts } = await readiness();
    expect([status, parts['observations']]).toEqual([503, expect.any(String)]);
    const before = asked;
    proxy.refuse(false);
    await until(isReady, 40_000, 'it is ready');
    await until(() => Promise.resolve(asked > before), 60_000, 'sites are checked');
  });
});
