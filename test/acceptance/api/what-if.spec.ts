import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '../../support/api-client.ts';
import { latestEvent } from '../../support/latest-event.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const env = { REGISTRATION: 'open', RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8' };
const from = new Date(Date.now() - 3_600_000).toISOString();
const LINKED_DATA = '<script type="application/ld+json">{"@type": "Product", "offers": {"price": "19.90"}}</script>';
let service: TestService;
let site: Site;
let people: TestAccounts;
let owner: TestAccount;
let api: ApiClient;
let projectId: string;
let testId: string;

beforeAll(async () => {
  site = await startHttp((request, response) =>
    request.url === '/'
      ? response.writeHead(302, { location: '/shop' }).end()
      : response
          .setHeader('X-Shop', 'open')
          .setHeader('Set-Cookie', 'sid=1; HttpOnly')
          .setHeader('Content-Security-Policy', "default-src 'self'")
          .end(`<title>Shop</title>${LINKED_DATA}Welcome`),
  );
  service = await TestService.start({ env });
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
  projectId = await people.project(owner, site.url);
  await api.put(`/project/${projectId}`, { period: false });
  testId = (await api.post(`/project/${projectId}/tests`, { url: '/', name: 'Homepage', rules: [{ op: 'sub', val: 'Willkommen' }] })).body
    .id as string;
  await api.get(`/project/${projectId}/start?tests=${testId}&keep-alive=true`);
});
afterAll(async () => {
  await service.stop();
  await site.close();
});

const whatIf = (body: object) => api.post(`/test/${testId}/what-if`, body);

describe('evaluating other rules over past pages', () => {
  it('answers what the rules would have found and changes nothing', async () => {
    const rules = [{ op: 'sub', val: 'Welcome' }];
    await until(async () => (await whatIf({ rules, from })).body.judged > 0, 5_000, 'a kept page');
    const before = await latestEvent(api, projectId);
    const { status, body } = await whatIf({ rules, from });
    expect(status).toBe(200);
    expect(body.changed).toBe(body.judged);
    expect(body).toMatchObject({ uptime: { old: 0, new: 100 }, verdicts: [{ old: 'error', new: 'ok', failures: [] }] });
    const worse = (await whatIf({ rules: [{ type: 'title', op: 'eq', val: 'Store' }], from })).body;
    expect(worse.changed).toBe(0);
    expect(worse.verdicts[0].failures[0]).toContain('Store');
    expect((await api.get(`/test/${testId}`)).body.rules).toMatchObject([{ val: 'Willkommen' }]);
    expect(await latestEvent(api, projectId)).toBe(before);
  });

  it('evaluates the stored headers and redirects of a page', async () => {
    const rules = [
      { type: 'header', op: 'eq', val: 'X-Shop: open' },
      { type: 'location', op: 'sub', val: '/shop' },
    ];
    expect((await whatIf({ rules, from })).body).toMatchObject({ judged: 1, verdicts: [{ old: 'error', new: 'ok', failures: [] }] });
    const { verdicts } = (await whatIf({ rules: [{ type: 'header', op: '!sub', val: 'X-Shop' }], from })).body;
    expect(verdicts).toMatchObject([{ new: 'error' }]);
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
    ];
    expect((await whatIf({ rules, from })).body).toMatchObject({ judged: 1, verdicts: [{ new: 'ok', failures: [] }] });
    const failing = [...rules, { type: 'cert:days', op: 'gt', val: '7' }, { type: 'json:$.a', op: 'eq', val: '1' }];
    expect((await whatIf({ rules: failing, from })).body.verdicts).toMatchObject([
      {
        failures: [
          'expected the days that the certificate is valid for to be more than "7", found no certificate',
          'expected the JSON value at $.a to be "1", found no valid JSON',
        ],
      },
    ]);
    const tried = await api.post(`/project/${projectId}/try`, { url: '/', rules });
    expect(tried.body).toMatchObject({ status: 'ok', failures: [] });
  });

  it('answers nothing for a period without runs', async () => {
    const { body } = await whatIf({ rules: [], from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' });
    expect(body).toMatchObject({ runs: 0, judged: 0, changed: 0, uptime: { old: null, new: null }, verdicts: [] });
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
    expect((await whatIf(body)).status).toBe(400);
  });

  it('requires the read right', async () => {
    const stranger = await people.register('stranger');
    expect((await stranger.api.post(`/test/${testId}/what-if`, { rules: [], from })).status).toBe(403);
  });
});
