import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, type Answer } from '../../support/api-client.ts';
import { refusalsOf } from '../../support/refusals.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { errorBody } from '../../support/error-body.ts';
import { isRelease } from '../../support/thorough.ts';

const plansFile = join(mkdtempSync(join(tmpdir(), 'plans-')), 'plans.json');
const plan = { apiAccess: true, maxProjects: 10, defaultPeriod: '1 day', minUptimePeriod: 60 };
const budgets = { liveStreams: 8, runningJobs: 2, eventMegabytesPerDay: 1 };
writeFileSync(plansFile, JSON.stringify({ small: { ...plan, budgets }, wide: plan }));

/** No checker: jobs last. */
const env = { ROLES: 'api,projector,reactor', REGISTRATION: 'open', RATE_LIMIT: '0', PLANS_FILE: plansFile, DEFAULT_PLAN: 'small' };
let service: TestService;
let other: TestService;
let people: TestAccounts;
beforeAll(async () => {
  service = await TestService.start({ env });
  other = await TestService.start({ beside: service, env });
  people = new TestAccounts(service);
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

const usageOf = async ({ api }: TestAccount): Promise<Answer['body']> => (await api.get('/account/usage')).body;

describe('an account that writes without end', () => {
  const rules = (turn: number): object[] =>
    Array.from({ length: 25 }, (_, index) => ({ type: 'text', op: 'sub', val: `${String(turn)} ${String(index)} ${'x'.repeat(900)}` }));

  it('appends no more than its bytes of a day, through all instances; others are not affected', async () => {
    const account = await people.register();
    const project = await people.project(account);
    const area = (await account.api.post(`/project/${project}/areas`, { name: 'Area' })).body.id as string;
    const elsewhere = new ApiClient(other.url, account.api.token);
    let refused: Answer | undefined;
    let written = 0;
    for (; written < 100 && refused === undefined; written++) {
      const answer = await account.api.put(`/area/${area}`, { rules: [rules(written)] });
      if (answer.status !== 200) refused = answer;
    }
    expect(refused?.status).toBe(429);
    expect(refused?.body).toEqual(errorBody(429, expect.stringContaining('1 MiB of changes')));
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(86_000);
    await until(async () => (await refusalsOf(service, 'events')) > 0, 5000, 'the refusals of events in the metrics');

    // Other rules each time: a write that changes nothing is no use of the budget.
    let turn = 100;
    await until(async () => (await elsewhere.put(`/area/${area}`, { rules: [rules(turn++)] })).status === 429, 2_000);
    expect((await elsewhere.post('/project/create', { url: 'https://example.com/2' })).status).toBe(429);
    const { eventBytes } = await usageOf(account);
    expect(eventBytes).toMatchObject({ allowed: 1024 * 1024, secondsLeft: expect.any(Number) });
    expect(eventBytes.used).toBeGreaterThanOrEqual(1024 * 1024);
    expect(eventBytes.used).toBeLessThan(1.4 * 1024 * 1024);

    expect((await account.api.get(`/area/${area}`)).status).toBe(200);
    expect((await account.api.delete(`/area/${area}`)).status).toBe(200);
    expect((await people.register()).userId).toBeGreaterThan(0);
    await people.project(await people.register());
  });
});

describe('an account that opens streams without end', () => {
  it('holds as many as its plan allows, and five of one project with one token', async () => {
    const account = await people.register();
    const projects = [await people.project(account), await people.project(account, 'https://example.com/2')];
    expect((await account.api.post(`/project/${projects[1] ?? ''}/tests`, { url: '/', name: 'Test' })).status).toBe(200);
    const open: AbortController[] = [];
    const stream = async (path: string): Promise<Response> => {
      const aborted = new AbortController();
      const answer = await fetch(`${new URL(service.url).origin}/api${path}`, {
        headers: { authorization: `Bearer ${account.api.token ?? ''}` },
        signal: aborted.signal,
      });
      if (answer.status === 200) open.push(aborted);
      return answer;
    };
    for (let n = 0; n < 5; n++) expect((await stream(`/project/${projects[0] ?? ''}/live`)).status).toBe(200);
    const sixth = await stream(`/project/${projects[0] ?? ''}/live`);
    expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([429, '10']);
    for (let n = 0; n < 3; n++) expect((await stream(`/project/${projects[1] ?? ''}/live`)).status).toBe(200);
    expect((await stream(`/project/${projects[1] ?? ''}/live`)).status).toBe(429);
    expect((await stream(`/project/${projects[1] ?? ''}/start?continue=true`)).status).toBe(429);
    expect((await stream(`/project/${projects[1] ?? ''}/start?keep-alive=true`)).status).toBe(429);
    await until(async () => (await refusalsOf(service, 'streams')) === 4, 5000, 'four refused streams in the metrics');
    await until(async () => (await usageOf(account)).liveStreams.used === 8, 5_000, 'eight streams in the usage');
    expect((await usageOf(account)).liveStreams.allowed).toBe(8);
    for (const aborted of open) aborted.abort();
    await until(async () => (await usageOf(account)).liveStreams.used === 0, 2_000);
    expect((await stream(`/project/${projects[1] ?? ''}/start?continue=true`)).status).toBe(200);
    expect((await usageOf(account)).liveStreams.used).toBe(1);
    open.at(-1)?.abort();
    await until(async () => (await usageOf(account)).liveStreams.used === 0, 2_000);
  });
});

describe('clients that disconnect before their answer begins', () => {
  it('hold no place of a stream afterwards', async () => {
    const account = await people.register();
    const project = await people.project(account);
    expect((await account.api.put('/subscriptions/places', { from: 'now' })).status).toBe(200);
    const asks: readonly (readonly [string, object?])[] = [
      [`/project/${project}/live`],
      ['/events?after=now&wait=60'],
      ['/subscriptions/places/read', { consumer: 'a', wait: 60 }],
    ];
    const headers = { authorization: `Bearer ${account.api.token ?? ''}`, 'content-type': 'application/json' };
    for (let milliseconds = 0; milliseconds < 20; milliseconds++)
      for (const [path, body] of asks) {
        const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
        const signal = AbortSignal.timeout(milliseconds);
        await fetch(`${new URL(service.url).origin}/api${path}`, { ...init, signal }).catch(() => undefined);
      }
    await until(async () => (await usageOf(account)).liveStreams.used === 0, 10_000, 'that no place is held');
  });
});

describe('an account that starts jobs without end', () => {
  let account: TestAccount;
  let project: string;
  const areas: string[] = [];

  it('has as many running as the plan of the owner allows', async () => {
    account = await people.register();
    project = await people.project(account);
    for (let n = 0; n < 3; n++) {
      areas.push((await account.api.post(`/project/${project}/areas`, { name: `Area ${String(n)}` })).body.id as string);
      await account.api.post(`/project/${project}/tests`, { areaId: areas[n], url: '/', name: 'Test' });
    }
    const started = await Promise.all(areas.map((area) => account.api.get(`/project/${project}/start/area/${area}`)));
    const ok = started.filter(({ status }) => status === 200);
    const refused = started.filter(({ status }) => status === 429);
    expect([ok.length, refused.length]).toEqual([2, 1]);
    expect(refused[0]?.body.message).toContain('at most 2 jobs running');
    await until(async () => (await refusalsOf(service, 'jobs')) === 1, 5000, 'a refused job in the metrics');
    expect((await usageOf(account)).runningJobs).toEqual({ used: 2, allowed: 2 });
    const running = areas[started.findIndex(({ status }) => status === 200)] ?? '';
    const joined = await account.api.get(`/project/${project}/start/area/${running}`);
    expect([joined.status, ok.some(({ body }) => body.jobId === joined.body.jobId)]).toEqual([200, true]);
  });

  if (isRelease)
    it('may start another once those that ran have ended', async () => {
      const checker = await TestService.start({ beside: service, env: { ...env, ROLES: 'checker' } });
      try {
        await until(async () => (await usageOf(account)).runningJobs.used === 0, 20_000);
      } finally {
        await checker.stop();
      }
      expect((await account.api.get(`/project/${project}/start/area/${areas[2] ?? ''}`)).status).toBe(200);
    });
});

it('shows what an account has used of its budgets', async () => {
  const account = await people.register();
  await people.administer(account, { plan: 'wide' });
  await until(async () => (await usageOf(account)).plan === 'wide', 2_000);
  expect(await usageOf(account)).toEqual({
    plan: 'wide',
    requests: { used: 0, allowed: null, secondsLeft: expect.any(Number) },
    eventBytes: { used: 0, allowed: 100 * 1024 * 1024, secondsLeft: expect.any(Number) },
    liveStreams: { used: 0, allowed: 20 },
    runningJobs: { used: 0, allowed: 20 },
    personalTokens: { used: 0, allowed: 100 },
  });
});
