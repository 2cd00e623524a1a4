import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EvidenceFile, formatEvidenceFile } from '../../../src/checker/evidence/evidence-file.ts';
import { Judge } from '../../../src/checker/judging/judge.ts';
import { verifyEvidence } from '../../../src/proof/command-line/verify-evidence.ts';
import { formatVerifierKey, parseVerifierKey } from '../../../src/client/proofs/signed-note.ts';
import { watchledger } from '../../support/command-line.ts';
import { compiledWorker } from '../../support/compiled-worker.ts';
import type { Schemas, WatchledgerClient } from 'watchledger/client';
import type { ApiClient } from '../../support/api-client.ts';
import { latestEvent } from '../../support/latest-event.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';
import { isRelease } from '../../support/thorough.ts';

const from = new Date(Date.now() - 3_600_000).toISOString();
const LINKED_DATA = '<script type="application/ld+json">{"@type": "Product", "offers": {"price": "19.90"}}</script>';
let greeting = 'Welcome';
let isCut = false;
const SECRET = 'tok-s3cret-4711';
let service: TestService;
let site: Site;
let people: TestAccounts;
let owner: TestAccount;
let api: ApiClient;
let client: WatchledgerClient;
let projectId: string;
let testId: string;

beforeAll(async () => {
  site = await startHttp((request, response) => {
    if (request.url === '/whole') return void response.setHeader('Content-Type', 'text/html').end(`<html>Shop${isCut ? '' : '</html>'}`);
    if (request.url === '/') return void response.writeHead(302, { location: '/shop' }).end();
    return void response
      .setHeader('X-Shop', 'open')
      .setHeader('X-Echo', `you sent ${String(request.headers['x-key'])}`)
      .setHeader('Set-Cookie', 'sid=1; HttpOnly')
      .setHeader('Content-Security-Policy', "default-src 'self'")
      .end(`<title>Shop</title>${LINKED_DATA}${greeting}`);
  });
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
  client = api.client;
  projectId = await people.project(owner, site.url);
  const path = { id: projectId };
  await client.put('/project/{id}', { path, body: { period: false } });
  const rules = [
    { op: 'sub', val: 'Willkommen' },
    { type: 'title', op: 'eq', val: 'Shop' },
  ] as const;
  const body = { url: '/', name: 'Homepage', rules, options: { w: `X-Key: ${SECRET}` } };
  testId = (await client.post('/project/{id}/tests', { path, body })).data.id;
  await client.get('/project/{id}/start', { path, query: { tests: [testId], 'keep-alive': true } });
});
afterAll(async () => {
  await people.deleteProjects();
  await site.close();
});

const whatIf = async (rules: Schemas['WhatIf']['rules'], span: { readonly from: string; readonly to?: string } = { from }) =>
  (await client.post('/test/{id}/what-if', { path: { id: testId }, body: { rules, ...span } })).data;

describe('evaluating other rules over past pages', () => {
  it('answers what the rules would have found and changes nothing', async () => {
    const rules = [{ op: 'sub', val: 'Welcome' } as const];
    await until(async () => (await whatIf(rules)).judged > 0, 5_000, 'a kept page');
    const before = await latestEvent(api, projectId);
    const better = await whatIf(rules);
    expect(better.changed).toBe(better.judged);
    expect(better).toMatchObject({ uptime: { old: 0, new: 100 }, verdicts: [{ old: 'error', new: 'ok', failures: [] }] });
    const worse = await whatIf([{ type: 'title', op: 'eq', val: 'Store' }]);
    expect(worse.changed).toBe(0);
    expect(worse.verdicts[0]?.failures[0]).toContain('Store');
    const { data: check } = await client.get('/test/{id}', { path: { id: testId } });
    expect(check.rules).toMatchObject([{ val: 'Willkommen' }, { val: 'Shop' }]);
    expect(await latestEvent(api, projectId)).toBe(before);
  });

  it('evaluates the stored headers and redirects of a page', async () => {
    const rules = [
      { type: 'header', op: 'eq', val: 'X-Shop: open' },
      { type: 'location', op: 'sub', val: '/shop' },
    ] as const;
    expect(await whatIf(rules)).toMatchObject({ judged: 1, verdicts: [{ old: 'error', new: 'ok', failures: [] }] });
    const { verdicts } = await whatIf([{ type: 'header', op: '!sub', val: 'X-Shop' }]);
    expect(verdicts).toMatchObject([{ new: 'error' }]);
  });

  it('does not judge by the value of a cookie, which is not stored', async () => {
    const ofCookie = (val: string) => whatIf([{ type: 'header', op: 'sub', val }]);
    expect(await ofCookie('Set-Cookie: sid=1')).toMatchObject({ judged: 0, verdicts: [] });
    expect(await ofCookie('Set-Cookie: sid=')).toMatchObject({ judged: 1, verdicts: [{ new: 'ok' }] });
  });

  it('evaluates facts of the response, structured data and policies', async () => {
    const rules = [
      { type: 'time', op: 'lt', val: 60_000 },
      { type: 'size', op: 'gt', val: 10 },
      { type: 'redirects', op: 'eq', val: '1' },
      { type: 'redirects:target', op: 'sub', val: '/shop' },
      { type: 'cookie:sid', op: 'eq', val: 'HttpOnly' },
      { type: 'json-ld:Product.offers.price', op: 'lte', val: '20' },
      { type: 'csp:img-src', op: 'match', val: "'self'" },
    ] as const;
    expect(await whatIf(rules)).toMatchObject({ judged: 1, verdicts: [{ new: 'ok', failures: [] }] });
    const failing = [...rules, { type: 'cert:days', op: 'gt', val: '7' }, { type: 'json:$.a', op: 'eq', val: '1' }] as const;
    expect((await whatIf(failing)).verdicts).toMatchObject([
      {
        failures: [
          'expected the days that the certificate is valid for to be more than "7", found no certificate',
          'expected the JSON value at $.a to be "1", found no valid JSON',
        ],
      },
    ]);
    const tried = await client.post('/project/{id}/try', { path: { id: projectId }, body: { url: '/', rules } });
    expect(tried.data).toMatchObject({ status: 'ok', failures: [] });
  });

  it('answers nothing for a period without runs', async () => {
    const none = await whatIf([], { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' });
    expect(none).toMatchObject({ runs: 0, judged: 0, changed: 0, uptime: { old: null, new: null }, verdicts: [] });
  });

  it.each([
    {},
    { rules: [] },
    { rules: [], from: 'yesterday' },
    { rules: [{ type: 'html', op: 'xpath', val: '//[' }], from },
    { rules: [{ type: 'json:$.a[', op: 'eq', val: '1' }], from },
    { rules: [{ type: 'csp:scripts', op: 'eq', val: '1' }], from },
    { rules: [{ type: 'time', op: 'lt', val: 'soon' }], from },
    { rules: [{ type: 'title', op: 'lt', val: '5' }], from },
    { rules: [], from, to: '2020-01-01T00:00:00Z' },
  ])('refuse %j', async (body) => {
    expect((await api.post(`/test/${testId}/what-if`, body)).status).toBe(400);
  });

  it('requires the read right', async () => {
    const stranger = await people.register('stranger');
    expect((await stranger.api.post(`/test/${testId}/what-if`, { rules: [], from })).status).toBe(403);
  });
});

describe('the evidence behind an event', () => {
  let eventId: string;
  const path = (more = ''): string => `/project/${projectId}/history/${eventId}/evidence${more}`;
  const eventOf = async (type: string): Promise<string> =>
    ((await api.get(`/project/${projectId}/history?type=${type}&order=asc`)).body.events[0]?.id as string | undefined) ?? '';
  beforeAll(async () => {
    eventId = await eventOf('CheckFailed');
    await until(async () => (await api.get(path())).status === 200, 5_000, 'the evidence');
  });

  it('has request, address, answer, redirects and the result of each rule, without secrets', async () => {
    const { body, text } = await api.get(path());
    expect(body).toMatchObject({
      event: { id: eventId, type: 'CheckFailed' },
      ...{ kind: 'check', checkId: testId, address: '127.0.0.1', outcome: 'answered', reason: null },
      request: { method: 'GET', url: `${site.url}/shop` },
      answer: { url: `${site.url}/shop`, status: 200, cut: false, kept: true },
      redirects: [{ url: `${site.url}/`, status: 302, location: '/shop', to: `${site.url}/shop` }],
      rules: [
        { owner: 'own', val: 'Willkommen', result: 'failed', sentence: expect.stringContaining('Willkommen'), bytes: { line: 1 } },
        { owner: 'own', val: 'Shop', result: 'passed', sentence: null, bytes: { from: 7, to: 11, line: 1 } },
      ],
    });
    expect(body.request.headers).toContainEqual({ name: 'X-Key', value: null });
    expect(body.answer.headers).toContainEqual({ name: 'X-Echo', value: 'you sent (hidden)' });
    expect(body.answer.headers).toContainEqual({ name: 'Set-Cookie', value: 'sid=(hidden); HttpOnly' });
    expect(text).not.toContain(SECRET);
    const events = (await api.get(`/project/${projectId}/history?type=CheckFailed`)).body.events;
    expect(events.at(-1).data.evidence).toMatchObject({ exchange: body.exchange, page: body.answer.page });
  });

  it('has the page as a file that no browser renders', async () => {
    const { status, text, headers } = await api.get(path('/page'));
    expect([status, text]).toEqual([200, `<title>Shop</title>${LINKED_DATA}Welcome`]);
    expect(['content-type', 'x-content-type-options', 'content-security-policy'].map((name) => headers.get(name))).toEqual([
      'text/plain; charset=utf-8',
      'nosniff',
      'sandbox',
    ]);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.txt"$/);
  });

  it('has the difference to the last page that passed', async () => {
    expect((await api.get(path('/page?diff=passing'))).status).toBe(404);
    expect((await api.get(path('/page?diff=other'))).status).toBe(400);
    const run = (): Promise<unknown> => api.get(`/project/${projectId}/start?tests=${testId}&keep-alive=true`);
    await api.put(`/test/${testId}`, { rules: [{ op: 'sub', val: 'Welcome' }] });
    await run();
    const recovered = async (): Promise<boolean> => (await eventOf('CheckRecovered')) !== '';
    await until(recovered, 10_000, 'the recovery');
    greeting = 'Closed';
    const passing = async () =>
      (await service.observations.pool.query('SELECT FROM kept_answer WHERE passed AND check_id = $1', [Buffer.from(testId, 'hex')]))
        .rowCount ?? 0;
    await until(async () => (await passing()) > 0, 5_000, 'the page that passed');
    await run();
    const failed = eventId;
    await until(async () => (await eventOf('CheckSuspected')) !== '', 10_000, 'the suspicion');
    eventId = await eventOf('CheckSuspected');
    const { status, text } = await api.get(path('/page?diff=passing'));
    expect(status).toBe(200);
    expect(text).toMatch(/^--- passing .*\n\+\+\+ event .*\n@@ -1,1 \+1,1 @@\n-.*Welcome\n\+.*Closed\n$/);
    eventId = failed;
  });

  if (isRelease)
    it('exists for uptime, too, and not for events that rest on no exchange', async () => {
      await until(async () => (await eventOf('UptimeBegan')) !== '', 70_000, 'an uptime event');
      const failed = eventId;
      eventId = await eventOf('UptimeBegan');
      await until(async () => (await api.get(path())).status === 200, 5_000, 'the evidence');
      expect((await api.get(path())).body).toMatchObject({
        kind: 'uptime',
        checkId: null,
        rules: [],
        answer: { status: 200, kept: false },
      });
      expect((await api.get(path('/page'))).status).toBe(404);
      eventId = await eventOf('ProjectCreated');
      expect((await api.get(path())).body).toMatchObject({ errorCode: 'NOT_FOUND', message: expect.stringContaining('ProjectCreated') });
      eventId = 'no-event';
      expect((await api.get(path())).status).toBe(404);
      eventId = failed;
    });

  it('needs the right to edit tests, or to audit', async () => {
    const [guest, developer, auditor] = await Promise.all(['guest', 'developer', 'auditor'].map((name) => people.register(name)));
    await people.join(projectId, owner, guest!, '6');
    await people.join(projectId, owner, developer!, '5');
    await people.administer(auditor!, { systemRole: 'auditor' });
    const statuses = [guest, developer, auditor].map(async (one) => (await one!.api.get(path())).status);
    expect(await Promise.all(statuses)).toEqual([403, 200, 200]);
  });

  it('is a file that is judged again offline, and refuted once any byte of it is changed', async () => {
    const keys = [parseVerifierKey((await people.anonymous.get('/ledger/key')).text)];
    await until(async () => (await api.get(path('?format=file'))).status === 200, 10_000, 'the seal');
    const { text, headers } = await api.get(path('?format=file'));
    expect(headers.get('content-disposition')).toBe(`attachment; filename="evidence-${eventId}.json"`);
    const judge = new Judge({
      entry: compiledWorker(new URL('../../../src/checker/judging/judge-worker.ts', import.meta.url)),
      threads: 1,
    });
    const verdictOn = (file: string) => verifyEvidence(file, keys, judge);
    try {
      expect(await verdictOn(text)).toMatchObject({ kind: 'follows', event: { id: eventId, type: 'CheckFailed' }, notes: [] });
      for (let at = 0; at < text.length; at += Math.ceil(text.length / 60)) {
        const changed = `${text.slice(0, at)}${text[at] === '7' ? '8' : '7'}${text.slice(at + 1)}`;
        expect([at, (await verdictOn(changed)).kind]).toEqual([at, 'refuted']);
      }
      const edited = JSON.parse(text) as EvidenceFile;
      const reasonOf = async (given: Partial<EvidenceFile>): Promise<string> => {
        const verdict = await verdictOn(formatEvidenceFile({ ...edited, ...given }));
        return verdict.kind === 'refuted' ? verdict.reason : 'follows';
      };
      expect(await reasonOf({ page: Buffer.from('Willkommen').toString('base64') })).toMatch(/^the page was changed/);
      expect(await reasonOf({ exchange: { ...edited.exchange, address: '192.0.2.1' } })).toMatch(/^the exchange was changed/);
      expect(await reasonOf({ bytes: [edited.bytes[0] ?? null, { from: 0, to: 1, line: 1 }] })).toMatch(/^the bytes of rule 2/);
      const otherLog = [parseVerifierKey(formatVerifierKey('other.example', randomBytes(32)))];
      expect(await verifyEvidence(text, otherLog, judge)).toMatchObject({ kind: 'refuted', reason: expect.stringContaining('not signed') });
    } finally {
      await judge.close();
    }
    const folder = await mkdtemp(join(tmpdir(), 'evidence-'));
    await writeFile(join(folder, 'evidence.json'), text);
    const { status, out } = await watchledger({}, 'verify', join(folder, 'evidence.json'), '--key', keys[0]!.text).ran;
    await rm(folder, { recursive: true });
    expect([status, out]).toEqual([0, expect.stringContaining('follows from these bytes')]);
  });

  it('names its hashes when it is not kept any more', async () => {
    const { exchange, answer } = (await api.get(path())).body;
    await service.observations.pool.query('TRUNCATE kept_page');
    expect((await api.get(path())).body).toMatchObject({ answer: { kept: false } });
    const known = { exchange, page: answer.page };
    expect((await api.get(path('/page'))).body).toMatchObject({ code: 410, errorCode: 'EVIDENCE_EXPIRED', known });
    await service.observations.pool.query('TRUNCATE kept_exchange');
    expect((await api.get(path())).body).toMatchObject({ code: 410, errorCode: 'EVIDENCE_EXPIRED', known });
  });
});

describe('a page that stopped in the middle', () => {
  it('fails where it was whole before, in a dry run too, and is judged alike later', async () => {
    const created = await api.post(`/project/${projectId}/tests`, { url: '/whole', name: 'Whole' });
    const run = async () => {
      const { jobId } = (await api.get(`/project/${projectId}/start?tests=${created.body.id as string}&keep-alive=true`)).body;
      return (await api.get(`/project/${projectId}/job/${jobId as string}/results`)).body;
    };
    expect(await run()).toMatchObject({ results: [{ status: 'ok' }] });
    isCut = true;
    const failure = 'expected the page to end with </html>, as every passing run before, but it stops after "<html>Shop"';
    expect(await run()).toMatchObject({ results: [{ status: 'error', failures: [failure] }] });
    expect((await api.post(`/project/${projectId}/try`, { url: '/whole' })).body).toMatchObject({ status: 'error', failures: [failure] });
    const again = () => api.post(`/test/${created.body.id as string}/what-if`, { rules: [{ op: 'sub', val: 'Shop' }], from });
    await until(async () => (await again()).body.judged === 2, 5_000, 'both pages');
    expect((await again()).body).toMatchObject({ changed: 0, verdicts: [{ new: 'ok' }, { new: 'error', failures: [failure] }] });
  });
});
