import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas, WatchledgerClient } from 'watchledger/client';
import type { ApiClient } from '../../support/api-client.ts';
import { EventStream } from '../../support/event-stream.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';

const right = [{ type: 'text', op: 'sub', val: 'Welcome' } as const];
const wrong = [{ type: 'text', op: 'sub', val: 'Willkommen' } as const];
const byHeader = [{ type: 'header', op: 'eq', val: 'X-Shop: open' } as const];
const reason = 'The rule looked for the German page';
let service: TestService;
let site: Site;
let people: TestAccounts;
let owner: TestAccount;
let api: ApiClient;
let client: WatchledgerClient;
let projectId: string;
let testId: string;
let from: string;
let jobId: string;
const streams: EventStream[] = [];

const correct = async (body: Schemas['NewCorrection']) =>
  (await client.post('/test/{id}/corrections', { path: { id: testId }, body })).data;
const corrections = (query: { readonly asOf?: string } = {}) =>
  client.list('/test/{id}/corrections', { path: { id: testId }, query }).all();
const history = async (query: { readonly type?: readonly string[]; readonly limit?: number }) =>
  (await client.get('/project/{id}/history', { path: { id: projectId }, query })).data.events;
const uptime = async (query: { readonly end?: string; readonly asOf?: string } = {}) =>
  (await client.get('/test/{id}/uptime', { path: { id: testId }, query: { start: from, ...query } })).data;
const jobResults = async () => (await client.get('/project/{id}/job/{jobId}/results', { path: { id: projectId, jobId } })).data;

beforeAll(async () => {
  site = await startHttp((_, response) => response.setHeader('X-Shop', 'open').end('<title>Shop</title>Welcome'));
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
  client = api.client;
  projectId = await people.project(owner, site.url);
  const path = { id: projectId };
  await client.put('/project/{id}', { path, body: { period: false } });
  testId = (await client.post('/project/{id}/tests', { path, body: { url: '/', name: 'Homepage', rules: wrong } })).data.id;
  from = new Date().toISOString();
  jobId = (await client.get('/project/{id}/start', { path, query: { tests: [testId], 'keep-alive': true } })).data.jobId;
  const answer = () => client.post('/test/{id}/what-if', { path: { id: testId }, body: { rules: right, from } });
  await until(async () => (await answer()).data.judged > 0, 10_000, 'a kept page');
});
afterAll(async () => {
  await people.deleteProjects();
  for (const stream of streams) stream.close();
  await site.close();
});

describe('corrections', () => {
  it('shows the original and the corrected figures with author, reason and time', async () => {
    const before = { asOf: (await history({ limit: 1 }))[0]?.position ?? '' };
    expect((await jobResults()).results[0]).not.toHaveProperty('corrected');
    const stream = await EventStream.open(`${service.url}/api/project/${projectId}/live`, api.token);
    streams.push(stream);
    const made = await correct({ from, rules: right, reason });
    expect(made).toMatchObject({
      ...{ testId, from, reason, rules: [{ val: 'Welcome' }], overruledBy: [], changed: made.judged },
      original: { uptime: { up: 0, down: 100 }, failures: 1 },
      corrected: { uptime: { up: 100, down: 0 }, failures: 0, unjudgedSeconds: 0 },
      actor: { kind: 'user', id: String(owner.userId) },
    });
    expect(await corrections()).toEqual([made]);
    const report = await uptime({ end: made.to });
    expect(report).toMatchObject({ uptime: { down: 100 }, failures: 1, corrected: { uptime: { up: 100 }, failures: 0 } });
    expect(report.corrections).toMatchObject([{ id: made.id, reason, eventId: made.eventId }]);
    const events = await history({ type: ['CheckCorrected'] });
    expect(events).toMatchObject([{ id: made.eventId, actor: { name: 'owner' }, data: { checkId: testId, reason } }]);
    expect(events[0]?.summary).toMatch(/^Check Homepage corrected from .*: (\d+) of \1 judged runs? changed \(0 not judgeable/);
    const check = (await client.get('/test/{id}', { path: { id: testId } })).data;
    expect(check).toMatchObject({ rules: [{ val: 'Willkommen' }], status: { status: 'error' } });
    expect((await uptime(before)).corrected).toBeNull();
    expect(await corrections(before)).toEqual([]);
    const results = await client.list('/test/{id}/results', { path: { id: testId } }).all();
    expect(results.at(-1)).toMatchObject({ status: 'error', corrected: { status: 'ok', correctionId: made.id } });
    const job = { failed: 1, results: [{ testId, status: 'error', corrected: { status: 'ok', correctionId: made.id } }] };
    expect(await jobResults()).toMatchObject(job);
    const corrected = await stream.heard('CheckCorrected');
    expect(corrected).toEqual({ id: made.eventId, type: 'CheckCorrected', data: events[0] });
    const path = { id: projectId, eventId: made.eventId };
    const { data: chain } = await client.get('/project/{id}/history/{eventId}/chain', { path });
    expect(chain.events).toMatchObject([{ type: 'CheckCorrected', causationId: null }]);
  });

  it('replaces an earlier correction of the same period and keeps both visible', async () => {
    const to = new Date().toISOString();
    const later = await correct({ from, to, rules: byHeader, reason: 'By its header' });
    expect(later).toMatchObject({ corrected: { uptime: { up: 100 } }, overruledBy: [] });
    const strict = [{ type: 'title', op: 'eq', val: 'Store' } as const];
    const last = await correct({ from, to, rules: strict, reason: 'It was the wrong shop' });
    expect(last.corrected).toMatchObject({ uptime: { up: 0, down: 100 }, failures: 1 });
    expect((await corrections()).map(({ overruledBy }) => overruledBy)).toEqual([[later.id, last.id], [last.id], []]);
    expect((await uptime({ end: to })).corrected).toMatchObject({ uptime: { up: 0, down: 100 } });
  });

  it('records a retried correction once, by idempotency key or by equal content', async () => {
    const body = { from, to: new Date().toISOString(), rules: right, reason: 'once' };
    const idempotencyKey = randomUUID();
    const send = async () => (await client.post('/test/{id}/corrections', { path: { id: testId }, body, idempotencyKey })).data;
    const [first, again, plain] = [await send(), await send(), await correct(body)];
    expect([again, plain.id]).toEqual([first, first.id]);
    const events = await history({ type: ['CheckCorrected'] });
    expect(events.filter(({ data }) => data['reason'] === 'once')).toHaveLength(1);
  });

  it('keeps its figures after the pages expired, and reports that a new correction could evaluate nothing', async () => {
    const before = await corrections();
    await service.observations.pool.query('DELETE FROM kept_page');
    const made = await correct({ from, rules: right, reason: 'too late' });
    expect(made).toMatchObject({ judged: 0, changed: 0, corrected: { uptime: { up: 0, down: 0, timeout: 0 } } });
    expect(made.runs).toBeGreaterThan(0);
    expect(made.corrected.unjudgedSeconds).toBeGreaterThan(0);
    const after = await corrections();
    expect(after.slice(0, -1)).toEqual(before.map((one) => ({ ...one, overruledBy: [...one.overruledBy, made.id] })));
  });

  it.each([
    [{ rules: right, reason }, 'from'],
    [{ rules: right, from: '2026-01-01T00:00:00Z', reason: '' }, 'reason'],
    [{ rules: right, from: '2026-01-01T00:00:00Z' }, 'reason'],
    [{ rules: right, from: '2026-01-01T00:00:00Z', reason: '   ' }, 'reason'],
    [{ rules: right, from: '2026-01-01T00:00:00Z', reason: 'x'.repeat(1001) }, 'reason'],
    [{ rules: right, from: '2026-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z', reason }, 'to'],
    [{ rules: right, from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z', reason }, 'to'],
    [{ rules: right, from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z', reason }, 'from'],
    [{ rules: 'none', from: '2026-01-01T00:00:00Z', reason }, 'rules'],
    [{ rules: [{ type: 'html', op: 'xpath', val: '//[' }], from: '2026-01-01T00:00:00Z', reason }, 'XPath'],
    [{ rules: right, from: '2026-01-01T00:00:00Z', reason, because: 'x' }, 'because'],
  ])('refuses %j', async (body, named) => {
    const answer = await api.post(`/test/${testId}/corrections`, body);
    expect([answer.status, answer.text.includes(named)]).toEqual([400, true]);
  });

  it('requires the edit right to create and the read right to read', async () => {
    const [developer, stranger] = [await people.register('developer'), await people.register('stranger')];
    await people.join(projectId, owner, developer, '5');
    const path = `/test/${testId}/corrections`;
    expect((await developer.api.post(path, { from, rules: right, reason })).status).toBe(403);
    expect((await developer.api.get(path)).status).toBe(200);
    expect((await stranger.api.get(path)).status).toBe(403);
    expect((await stranger.api.get(`/test/${testId}/uptime?start=${from}`)).status).toBe(403);
    expect((await api.get(`/test/${testId}/uptime`)).status).toBe(405);
  });
});
