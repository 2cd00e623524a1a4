import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { EventStream } from '../../support/event-stream.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const env = { REGISTRATION: 'open', RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8' };
const right = [{ type: 'text', op: 'sub', val: 'Welcome' }];
const wrong = [{ type: 'text', op: 'sub', val: 'Willkommen' }];
const byHeader = [{ type: 'header', op: 'eq', val: 'X-Shop: open' }];
const reason = 'The rule looked for the German page';
let service: TestService;
let site: Site;
let people: TestAccounts;
let owner: TestAccount;
let api: ApiClient;
let projectId: string;
let testId: string;
let from: string;
let jobId: string;
const streams: EventStream[] = [];

const correct = (body: object) => api.post(`/test/${testId}/corrections`, body);
const head = async (): Promise<string> => (await api.get(`/project/${projectId}/history?limit=1`)).body.events[0].position as string;
const uptime = async (query = ''): Promise<Json> => (await api.get(`/test/${testId}/uptime?start=${from}${query}`)).body;

beforeAll(async () => {
  site = await startHttp((_, response) => response.setHeader('X-Shop', 'open').end('<title>Shop</title>Welcome'));
  service = await TestService.start({ env });
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
  projectId = await people.project(owner, site.url);
  await api.put(`/project/${projectId}`, { period: false });
  testId = (await api.post(`/project/${projectId}/tests`, { url: '/', name: 'Homepage', rules: wrong })).body.id as string;
  from = new Date().toISOString();
  jobId = (await api.get(`/project/${projectId}/start?tests=${testId}&keep-alive=true`)).body.jobId as string;
  const answer = () => api.post(`/test/${testId}/what-if`, { rules: right, from });
  await until(async () => (await answer()).body.judged > 0, 10_000, 'a kept page');
});
afterAll(async () => {
  for (const stream of streams) stream.close();
  await service.stop();
  await site.close();
});

describe('corrections', () => {
  it('shows the original and the corrected figures with author, reason and time', async () => {
    const before = await head();
    const uncorrected = (await api.get(`/project/${projectId}/job/${jobId}/results`)).body;
    expect(uncorrected.results[0]).not.toHaveProperty('corrected');
    const stream = await EventStream.open(`${service.url}/api/project/${projectId}/live`, api.token);
    streams.push(stream);
    const { status, body } = await correct({ from, rules: right, reason });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ testId, from, reason, rules: [{ val: 'Welcome' }], overruledBy: [], changed: body.judged },
      original: { uptime: { up: 0, down: 100 }, failures: 1 },
      corrected: { uptime: { up: 100, down: 0 }, failures: 0, unjudgedSeconds: 0 },
      actor: { kind: 'user', id: String(owner.userId) },
    });
    expect((await api.get(`/test/${testId}/corrections`)).body).toEqual({ corrections: [body] });
    const report = await uptime(`&end=${body.to as string}`);
    expect(report).toMatchObject({ uptime: { down: 100 }, failures: 1, corrected: { uptime: { up: 100 }, failures: 0 } });
    expect(report.corrections).toMatchObject([{ id: body.id, reason, eventId: body.eventId }]);
    const { events } = (await api.get(`/project/${projectId}/history?type=CheckCorrected`)).body;
    expect(events).toMatchObject([{ id: body.eventId, actor: { name: 'owner' }, data: { checkId: testId, reason } }]);
    expect(events[0].summary).toMatch(/^Check Homepage corrected from .*: (\d+) of \1 judged runs? changed \(0 not judgeable/);
    expect((await api.get(`/test/${testId}`)).body).toMatchObject({ rules: [{ val: 'Willkommen' }], status: { status: 'error' } });
    expect((await uptime(`&asOf=${before}`)).corrected).toBeNull();
    expect((await api.get(`/test/${testId}/corrections?asOf=${before}`)).body).toEqual({ corrections: [] });
    const { results } = (await api.get(`/test/${testId}/results`)).body;
    expect(results.at(-1)).toMatchObject({ status: 'error', corrected: { status: 'ok', correctionId: body.id } });
    const job = (await api.get(`/project/${projectId}/job/${jobId}/results`)).body;
    expect(job).toMatchObject({ failed: 1, results: [{ testId, status: 'error', corrected: { status: 'ok', correctionId: body.id } }] });
    const corrected = await stream.heard('CheckCorrected');
    expect(corrected).toEqual({ id: body.eventId, type: 'CheckCorrected', data: events[0] });
    const chain = await api.get(`/project/${projectId}/history/${body.eventId as string}/chain`);
    expect(chain.body.events).toMatchObject([{ type: 'CheckCorrected', causationId: null }]);
  });

  it('replaces an earlier correction of the same period and keeps both visible', async () => {
    const to = new Date().toISOString();
    const { body: later } = await correct({ from, to, rules: byHeader, reason: 'By its header' });
    expect(later).toMatchObject({ corrected: { uptime: { up: 100 } }, overruledBy: [] });
    const strict = [{ type: 'title', op: 'eq', val: 'Store' }];
    const { body: last } = await correct({ from, to, rules: strict, reason: 'It was the wrong shop' });
    expect(last.corrected).toMatchObject({ uptime: { up: 0, down: 100 }, failures: 1 });
    const { corrections } = (await api.get(`/test/${testId}/corrections`)).body;
    expect((corrections as Json[]).map(({ overruledBy }) => overruledBy as string[])).toEqual([[later.id, last.id], [last.id], []]);
    expect((await uptime(`&end=${to}`)).corrected).toMatchObject({ uptime: { up: 0, down: 100 } });
  });

  it('records a retried correction once, by idempotency key or by equal content', async () => {
    const to = new Date().toISOString();
    const keyed = api.with({ 'idempotency-key': randomUUID() });
    const send = () => keyed.post(`/test/${testId}/corrections`, { from, to, rules: right, reason: 'once' });
    const [first, again, plain] = [await send(), await send(), await correct({ from, to, rules: right, reason: 'once' })];
    expect([again.body, plain.body.id]).toEqual([first.body, first.body.id]);
    const { events } = (await api.get(`/project/${projectId}/history?type=CheckCorrected`)).body;
    expect((events as Json[]).filter(({ data }) => data.reason === 'once')).toHaveLength(1);
  });

  it('keeps its figures after the pages expired, and reports that a new correction could evaluate nothing', async () => {
    const before = (await api.get(`/test/${testId}/corrections`)).body.corrections as Json[];
    await service.database.pool.query('DELETE FROM kept_page');
    const { body } = await correct({ from, rules: right, reason: 'too late' });
    expect(body).toMatchObject({ judged: 0, changed: 0, corrected: { uptime: { up: 0, down: 0, timeout: 0 } } });
    expect(body.runs).toBeGreaterThan(0);
    expect(body.corrected.unjudgedSeconds).toBeGreaterThan(0);
    const after = (await api.get(`/test/${testId}/corrections`)).body.corrections as Json[];
    expect(after.slice(0, -1)).toEqual(before.map((one) => ({ ...one, overruledBy: [...(one.overruledBy as string[]), body.id] })));
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
    const answer = await correct(body);
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
