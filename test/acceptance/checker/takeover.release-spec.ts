import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, type Json } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const env = { REGISTRATION: 'open', RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8' };
const PROJECTS = 6;
const CHECKS = 4;
let services: TestService[] = [];
let site: Site;
let owner: TestAccount;
let apis: ApiClient[] = [];
let asked: { readonly path: string; readonly from: string; readonly at: number }[] = [];

beforeAll(async () => {
  site = await startHttp((request, response) => {
    asked.push({ path: request.url ?? '', from: String(request.headers['user-agent']), at: Date.now() });
    setTimeout(() => response.setHeader('content-type', 'text/html').end('<title>Shop</title>'), 1_000);
  });
  const first = await TestService.start({ env });
  services = [first, await TestService.start({ env, beside: first })];
  const people = new TestAccounts(first);
  owner = await people.register('owner');
  await people.administer(owner, { plan: 'unlimited' });
  apis = await Promise.all(services.map(({ url }) => new ApiClient(url).signIn(owner.email, PASSWORD)));
});
afterAll(async () => {
  for (const service of [...services].reverse()) await service.stop();
  await site.close();
});

/** A project with a slow site per check: its checks run one after the other. */
async function slowProject(api: ApiClient, index: number): Promise<string> {
  const { id } = (await api.post('/project/create', { url: site.url })).body as { id: string };
  await api.put(`/project/${id}`, { period: false, uptimeEnabled: false });
  const area = (await api.post(`/project/${id}/areas`, { name: 'Slow' })).body.id as string;
  for (let check = 0; check < CHECKS; check++)
    await api.post(`/project/${id}/tests`, { areaId: area, url: `/slow/${String(index)}/${String(check)}`, name: `Slow ${String(check)}` });
  return id;
}

describe('a killed checker', () => {
  it('has its jobs finished by another instance with one result per test', async () => {
    const [one, other] = apis as [ApiClient, ApiClient];
    const projects: string[] = [];
    for (let index = 0; index < PROJECTS; index++) projects.push(await slowProject(one, index));
    // Both own some shards by now.
    await new Promise((settled) => setTimeout(settled, 3_000));
    asked = [];
    const jobs = await Promise.all(
      projects.map(async (id) => ({ id, jobId: (await one.get(`/project/${id}/start`)).body.jobId as string })),
    );
    await until(() => Promise.resolve(asked.length >= PROJECTS), 10_000, 'that the jobs run');
    await services[0]?.kill();
    const results = async ({ id, jobId }: { id: string; jobId: string }): Promise<Json> =>
      (await other.get(`/project/${id}/job/${jobId}/results`)).body;
    await until(
      async () => (await Promise.all(jobs.map(results))).every(({ processed }) => processed === true),
      15_000,
      'the end of the jobs',
    );
    for (const job of jobs) {
      const { total, results: entries } = await results(job);
      expect(total).toBe(CHECKS);
      expect(new Set(entries.map(({ testId }: Json) => testId as string)).size).toBe(CHECKS);
      expect(entries).toHaveLength(CHECKS);
      for (const { testId } of entries as Json[]) {
        const runs = (await other.get(`/test/${testId as string}/results`)).body.results as Json[];
        expect(runs.map(({ jobId }) => jobId as string)).toEqual([job.jobId]);
      }
    }
    const ends = (await other.get(`/project/${jobs[0]?.id ?? ''}/history?type=JobEnded`)).body.events;
    expect(ends).toHaveLength(1);
  });

  it('has its schedule taken over by another instance', async () => {
    const [, second] = services as [TestService, TestService];
    const third = await TestService.start({ env, beside: second });
    services.push(third);
    const api = await new ApiClient(third.url).signIn(owner.email, PASSWORD);
    const paths = Array.from({ length: 8 }, (_, index) => `/watched/${String(index)}`);
    for (const path of paths) {
      const { id } = (await api.post('/project/create', { url: `${site.url}${path}` })).body as { id: string };
      await api.put(`/project/${id}`, { period: false, uptimeEnabled: '15' });
    }
    const last = (path: string): number => Math.max(0, ...asked.filter((request) => request.path === path).map(({ at }) => at));
    await until(() => Promise.resolve(paths.every((path) => last(path) > 0)), 40_000, 'that all are watched');
    const died = Date.now();
    await second.kill();
    // Due every 15 s: an instance that takes over within 12 s has probed each of them after 27 s.
    await until(() => Promise.resolve(paths.every((path) => last(path) > died)), 15_000 + 12_000 + 1_000, 'that all are watched again');
  });
});
