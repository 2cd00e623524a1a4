import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService, startBesideShared } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';

let service: TestService;
let other: TestService;
let site: Site;
let people: TestAccounts;
let owner: TestAccount;
let api: ApiClient;

beforeAll(async () => {
  site = await startHttp((_, response) => {
    const links = ['About us', 'Shop', 'Terms and conditions'].map((text, index) => `<a href="/p${String(index)}">${text}</a>`).join('');
    response.setHeader('content-type', 'text/html').end(`<meta name="generator" content="WordPress 6.9"><title>Shop</title>${links}`);
  });
  service = await sharedService();
  other = await startBesideShared();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
});
afterAll(async () => {
  await other.stop();
  await people.deleteProjects();
  await site.close();
});

/** Fields that the watches may change at any time. */
const measured = /^(httpsRedirect(?!Enabled)|ssl(?!AlertPeriod)|status$|isWordPress$)/;
const asSet = (project: Json): Json => Object.fromEntries(Object.entries(project).filter(([field]) => !measured.test(field)));

const create = (body: unknown): Promise<Json> => api.post('/project/create', body);

describe('creating a project', () => {
  it('answers the whole project, with the host as title and the defaults of the plan', async () => {
    const { status, body } = await create({ url: 'https://example.com' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      title: 'example.com',
      name: 'example.com',
      url: 'https://example.com',
      period: '5 minutes',
      uptimeEnabled: '60',
      uptimeUrl: 'https://example.com',
      payerId: owner.userId,
      userIds: [owner.userId],
      location: 'eu',
      checkDefaultErrors: true,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      timeout: 3,
      delay: 50,
      status: null,
      sslStatus: 'noinfo',
      sslExpiration: null,
      sslAlertPeriod: 14,
      httpsRedirectEnabled: true,
      httpsRedirectStatus: null,
      isWordPress: null,
    });
    expect(body).not.toHaveProperty('sslDaysLeft');
    expect(body.apiKey).toMatch(/^[0-9a-f]{24}$/);
  });

  it('accepts the fields as query parameters', async () => {
    const { status, body } = await api.get('/project/create?url=example.org&addPresetChecks=false&checkInterval=1%20hour');
    expect([status, body.url, body.period]).toEqual([200, 'https://example.org', '1 hour']);
  });

  it.each([
    [434, {}, /mandatory parameter "url"/],
    [434, { url: '' }, /mandatory parameter "url"/],
    [410, { url: 'ftp://example.com' }, /seems to be invalid/],
    [410, { url: ['https://example.com'] }, /seems to be invalid/],
    [410, { url: 'http://127.1.1.1.nonsense:99999' }, /seems to be invalid/],
    [410, { url: 'http://169.254.169.254/latest' }, /seems to be invalid/],
    [410, { url: 'http://0xa000001/' }, /seems to be invalid/],
    [432, { urls: ['https://example.com'] }, /deprecated.*"url"/],
    [433, { url: 'https://example.com', blank: true }, /deprecated.*"addPresetChecks"/],
  ])('answers %i with nothing but a message', async (status, body, message) => {
    const answer = await create(body);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ message: expect.stringMatching(message) });
  });

  it('names every invalid field', async () => {
    const answer = await create({ url: 'https://example.com', addPresetChecks: 'maybe', checkInterval: '2 minutes', nonsense: 1 });
    expect(answer).toMatchObject({ status: 400, body: { code: 400, ok: false, error: true } });
    for (const field of ['addPresetChecks', 'checkInterval', 'nonsense']) expect(answer.body.message).toContain(field);
  });

  it('creates the groups and tests with it, by one append, and answers a repeat alike', async () => {
    const wanted = {
      ...{ url: 'https://basket.example', addPresetChecks: true, tests: [{ url: '/imprint' }] },
      areas: [
        {
          ...{ name: 'Basket', period: '8 hours', httpAuth: { user: 'ann', password: 'pw' }, options: { w: 'X-Key: 1' } },
          form: { identifier: 'login', enabled: true, action: '/login', params: 'u=1', html: '<form id=login></form>' },
          tests: [{ name: 'Pay', url: '/pay', enabled: false, options: { w: 'X-From: a', method: 'POST', body: 'n=1' } }],
        },
        { name: 'Empty' },
      ],
    };
    const keyed = api.with({ 'idempotency-key': 'with-groups' });
    const { status, body } = await keyed.post('/project/create', wanted);
    expect(status).toBe(200);
    expect((await keyed.post('/project/create', wanted)).body).toEqual(body);
    const path = `/project/${body.id as string}`;
    const areas = (await api.get(`${path}/areas`)).body as unknown as readonly Json[];
    expect(areas.map(({ name }) => name)).toEqual(['Public', 'Basket', 'Empty']);
    expect(areas[1]).toMatchObject({ period: '8 hours', httpAuth: { user: 'ann', password: '' }, options: { w: 'X-Key: ********' } });
    expect(areas[1]).toMatchObject({ form: { identifier: 'login', params: '********', html: '<form id=login></form>' } });
    const tests = (await api.get(`${path}/tests`)).body as unknown as readonly Json[];
    const inGroup = (place: number): readonly unknown[] => tests.filter(({ areaId }) => areaId === areas[place]?.id).map(({ url }) => url);
    expect(inGroup(0)).toEqual(expect.arrayContaining(['/favicon.ico', '/imprint']));
    expect([inGroup(1), inGroup(2)]).toEqual([['/pay'], []]);
    expect(tests.find(({ url }) => url === '/pay')).toMatchObject({
      enabled: false,
      options: { w: 'X-From: ********', method: 'POST', body: '********' },
    });
    const { events } = (await api.get(`${path}/history`)).body;
    const first = (events as readonly Json[]).filter(({ type }) =>
      ['ProjectCreated', 'AreaCreated', 'CheckCreated'].includes(String(type)),
    );
    expect(new Set(first.map(({ commandId }) => commandId)).size).toBe(1);
  });

  it.each([
    [{ areas: [{ name: 'A', tests: [{ url: '/a' }, { url: 'ftp://x' }] }] }, 'areas.0.tests.1.url'],
    [{ areas: [{ name: 'A' }, { tests: [] }] }, 'areas.1.name'],
    [{ tests: [{ url: '/a', areaId: '64f0c2a91b7de35a04c8f612' }] }, 'tests.0.areaId'],
    [{ areas: [{ name: 'A', tests: [{ url: '/a', nme: 'x' }] }] }, 'areas.0.tests.0.nme'],
    [{ areas: [{ name: 'A', tests: [{ url: '/a', rules: [{ type: 'regexp', op: 'has', val: '(' }] }] }] }, 'areas.0.tests.0.rules'],
    [{ areas: 'none' }, 'areas'],
  ])('creates nothing of %j, and names the field', async (content, field) => {
    const before = (await api.get('/projects?limit=1000')).body.projects as readonly Json[];
    const answer = await create({ url: 'https://refused.example', ...content });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(field) } });
    expect(((await api.get('/projects?limit=1000')).body.projects as readonly Json[]).length).toBe(before.length);
  });

  it('takes every writable field, in one event, and answers a repeat alike', async () => {
    const settings = {
      ...{ title: 'Shop', period: '8 hours', uptimeUrl: 'https://shop.example/health', uptimeEnabled: '15', location: 'us' },
      ...{ checkDefaultErrors: false, userAgent: 'Shop monitor', timeout: 9, delay: 0, sslAlertPeriod: 30, httpsRedirectEnabled: false },
      ...{ webPushEnabled: true, securityMonitoringEnabled: true },
    };
    const keyed = api.with({ 'idempotency-key': 'with-settings' });
    const { status, body } = await keyed.post('/project/create', { url: 'https://shop.example', ...settings });
    expect([status, body]).toEqual([200, expect.objectContaining({ ...settings, name: 'Shop', url: 'https://shop.example' })]);
    expect((await keyed.post('/project/create', { url: 'https://shop.example', ...settings })).body).toEqual(body);
    expect(asSet((await api.get(`/project/${body.id as string}`)).body)).toMatchObject(asSet(body));
    const { events } = (await api.get(`/project/${body.id as string}/history`)).body;
    const recorded = events.map(({ type }: Json) => type as string);
    expect(recorded.filter((type: string) => /^Project|Changed$|Switched$/.test(type))).toEqual(['ProjectCreated']);
  });

  it('holds the settings against the plan, the locations and the guard as a change does', async () => {
    const [limited, url] = [await people.register('limited'), 'https://limited.example'];
    await people.administer(limited, { plan: 'basic' });
    const { id } = (await limited.api.post('/project/create', { url, uptimeEnabled: 30 })).body;
    for (const settings of [{ uptimeEnabled: 15 }, { location: 'sg' }, { uptimeUrl: 'http://10.0.0.1/' }, { timeout: 61, title: '' }]) {
      const [made, changed] = [
        await limited.api.post('/project/create', { url, ...settings }),
        await limited.api.put(`/project/${id as string}`, settings),
      ];
      expect([made.status, made.body]).toEqual([400, { ...changed.body, requestId: made.body.requestId }]);
    }
    expect((await limited.api.get('/projects')).body.projects).toHaveLength(1);
  });

  it('creates exactly as many projects as the plan allows under concurrency', async () => {
    const small = await people.register('small');
    const plan = 3;
    await people.administer(small, { plan: 'basic' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => small.api.post('/project/create', { url: `https://s${String(index)}.example` })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(10);
    const { projects } = (await small.api.get('/projects')).body;
    expect(projects).toHaveLength(10);
    for (const { id } of projects.slice(0, plan)) await small.api.delete(`/project/${id as string}`);
    expect((await small.api.post('/project/create', { url: 'https://again.example' })).status).toBe(200);
  });

  it('creates the preset tests immediately and those of links after fetching the homepage', async () => {
    const { body } = await create({ url: site.url, addPresetChecks: true });
    const tests = async (): Promise<Json> => (await api.get(`/project/${body.id as string}/tests`)).body;
    expect((await tests()).slice(0, 4).map(({ type }: Json) => type)).toEqual(['homepage', 'favicon', 'robots', 'simple']);
    // Instances that are rebalancing their shards analyse a homepage within half a minute.
    await until(async () => (await tests()).length === 7, 45_000);
    expect((await tests()).slice(4).map(({ name }: Json) => name)).toEqual(['Shop', 'About us', 'Terms and conditions']);
    expect((await api.get(`/project/${body.id as string}`)).body.isWordPress).toBe(true);
  });
});

describe('reading, updating and deleting a project', () => {
  let id: string;
  beforeAll(async () => {
    id = (await create({ url: 'https://example.com' })).body.id as string;
  });

  it('includes the permissions of the caller', async () => {
    expect((await api.get(`/project/${id}`)).body.permissions).toEqual({
      read: true,
      run: true,
      editTest: true,
      editTests: true,
      edit: true,
      manageUsers: true,
      apiKey: true,
      leave: false,
    });
  });

  it('changes the supplied fields and answers with the success body', async () => {
    const answer = await api.put(`/project/${id}`, {
      title: 'Shop',
      period: false,
      uptimeEnabled: 30,
      location: 'us',
      checkDefaultErrors: false,
      timeout: '9',
    });
    expect(answer).toMatchObject({ status: 200, body: { code: 200, ok: true, error: false } });
    expect((await api.get(`/project/${id}`)).body).toMatchObject({
      title: 'Shop',
      name: 'Shop',
      period: 'false',
      uptimeEnabled: '30',
      location: 'us',
      checkDefaultErrors: false,
      timeout: 9,
    });
  });

  it('accepts its own answer and records no change', async () => {
    const { body } = await api.get(`/project/${id}`);
    expect((await api.put(`/project/${id}`, body)).status).toBe(200);
    expect(asSet((await api.get(`/project/${id}`)).body)).toEqual(asSet(body));
    expect((await api.get(`/project/${id}/history?type=ProjectRenamed`)).body.events).toHaveLength(1);
  });

  it('applies the legacy name of the title when it is the one that differs', async () => {
    const { body } = await api.get(`/project/${id}`);
    await api.put(`/project/${id}`, { ...body, name: 'By name' });
    expect((await api.get(`/project/${id}`)).body.title).toBe('By name');
    await api.put(`/project/${id}`, { ...body, title: 'By title', name: 'neither' });
    expect((await api.get(`/project/${id}`)).body.title).toBe('By title');
  });

  it.each([
    [{ nonsense: 1 }, 'nonsense'],
    [{ timeout: 61 }, 'timeout'],
    [{ title: '' }, 'title'],
    [{ title: 'a\u0000b' }, 'title'],
    [{ title: '\ud800' }, 'title'],
    [{ title: 'x'.repeat(100_000) }, 'title'],
    [{ period: '2 minutes' }, 'period'],
    [{ uptimeEnabled: '45' }, 'uptimeEnabled'],
    [{ url: 'http://10.0.0.1' }, 'url'],
    [{ userAgent: 'a\r\nX-Evil: 1' }, 'userAgent'],
  ])('refuses %j and names the field', async (body, field) => {
    const answer = await api.put(`/project/${id}`, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 400, ok: false, error: true } });
    expect(answer.body.message).toContain(field);
  });

  it("answers 404 for an unknown project and 403 for another account's", async () => {
    const stranger = await people.register('stranger');
    for (const unknown of ['a'.repeat(24), '1', '../1'])
      expect((await api.get(`/project/${encodeURIComponent(unknown)}`)).body).toMatchObject({ code: 404, ok: false, error: true });
    expect((await stranger.api.get(`/project/${id}`)).status).toBe(403);
    expect((await stranger.api.put(`/project/${id}`, { title: 'Mine' })).status).toBe(403);
    expect((await stranger.api.delete(`/project/${id}`)).status).toBe(403);
  });

  it('removes a deleted project from every read', async () => {
    const doomed = (await create({ url: 'https://doomed.example' })).body.id as string;
    expect((await api.delete(`/project/${doomed}`)).body).toEqual({ code: 200, ok: true, error: false });
    expect((await api.get(`/project/${doomed}`)).status).toBe(404);
    expect((await api.get('/projects')).body.projects.some((project: Json) => project.id === doomed)).toBe(false);
  });
});

describe('listing projects', () => {
  it('pages without gaps or duplicates, searches, and filters by status', async () => {
    const lister = await people.register('lister');
    for (let index = 0; index < 7; index++) await people.project(lister, `https://list-${String(index)}.example`);
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await lister.api.get(`/projects?limit=3${cursor}`);
      seen.push(...body.projects.map(({ id }: Json) => id as string));
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor as string}`;
    }
    expect(new Set(seen).size).toBe(7);
    expect((await lister.api.get('/projects?search=LIST-3')).body.projects).toHaveLength(1);
    expect((await lister.api.get('/projects?status=unknown')).body.projects).toHaveLength(7);
    expect((await lister.api.get('/projects?status=error')).body).toEqual({ projects: [], nextCursor: null });
    expect((await lister.api.get('/projects?limit=0')).status).toBe(400);
    expect((await lister.api.get('/projects?cursor=abc')).status).toBe(400);
  });
});

describe('two instances on one database', () => {
  it("show each other's writes immediately", async () => {
    const through = new TestAccounts(other);
    const there = through.anonymous.as(api.token);
    for (let round = 0; round < 10; round++) {
      const { body } = await create({ url: `https://round-${String(round)}.example` });
      expect((await there.get(`/project/${body.id as string}`)).status).toBe(200);
      await there.put(`/project/${body.id as string}`, { title: `Round ${String(round)}` });
      expect((await api.get(`/project/${body.id as string}`)).body.title).toBe(`Round ${String(round)}`);
    }
  });

  it('execute a write with an idempotency key once', async () => {
    const key = { 'idempotency-key': 'once-and-only' };
    const there = new TestAccounts(other).anonymous.as(api.token);
    const body = { url: 'https://once.example' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? api : there).with(key).post('/project/create', body)),
    );
    expect(new Set(answers.map((answer) => answer.body.id as string)).size).toBe(1);
    expect((await api.get('/projects?search=once.example')).body.projects).toHaveLength(1);
    expect((await api.with(key).post('/project/create', { url: 'https://other.example' })).status).toBe(409);
  });
});

describe('If-Match', () => {
  const tagOf = async (path: string): Promise<string> => (await api.get(path)).headers.get('etag') ?? '';
  const matching = (tag: string): ApiClient => api.with({ 'if-match': tag });

  it('lets one of two writers through over two instances, and tells the other what changed and by whom', async () => {
    const path = `/project/${(await create({ url: 'https://matched.example' })).body.id as string}`;
    const there = new TestAccounts(other).anonymous.as(api.token);
    for (let round = 0; round < 5; round++) {
      const tag = { 'if-match': await tagOf(path) };
      const titles = ['here', 'there'].map((place) => `${place} ${String(round)}`);
      const answers = await Promise.all([api, there].map((client, index) => client.with(tag).put(path, { title: titles[index] })));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
      const [won, lost] = answers[0]?.status === 200 ? titles : titles.toReversed();
      const refused = answers.find(({ status }) => status === 412);
      expect(refused?.headers.get('watchledger-error-code')).toBe('PRECONDITION_FAILED');
      const change = {
        type: 'ProjectRenamed',
        actor: { kind: 'user', id: String(owner.userId) },
        summary: expect.stringContaining(won ?? ''),
      };
      expect(refused?.body).toMatchObject({ code: 412, errorCode: 'PRECONDITION_FAILED', param: 'If-Match', changes: [change] });
      expect((await matching(refused?.body.etag as string).put(path, { title: lost })).status).toBe(200);
    }
  });

  it('knows the changes since, in order, and none where the tag is of nothing known', async () => {
    const path = `/project/${(await create({ url: 'https://changes.example' })).body.id as string}`;
    const tag = await tagOf(path);
    await api.put(path, { title: 'First', timeout: 9 });
    await api.put(path, { delay: 70 });
    const types = (answer: Json): string[] => answer.body.changes.map(({ type }: Json) => type as string);
    expect(types(await matching(tag).delete(path))).toEqual(['ProjectRenamed', 'TimeoutChanged', 'DelayChanged']);
    await api.put(path, { timeout: 3, delay: 50, title: 'changes.example' });
    // What was changed back is as it was read.
    expect((await matching(tag).put(path, { title: 'Same again' })).status).toBe(200);
    for (const unknown of ['"of-nothing"', `W/${await tagOf(path)}`, await tagOf('/projects'), await tagOf(`${path}/users`)])
      expect([unknown, (await matching(unknown).delete(path)).status]).toEqual([unknown, 412]);
    expect((await matching('title').put(path, { title: 'x' })).body).toMatchObject({ code: 400, param: 'If-Match' });
    expect((await matching('*').put(path, { title: 'Any' })).status).toBe(200);
    expect((await matching(`"of-nothing", ${await tagOf(path)}`).delete(path)).status).toBe(200);
    expect((await matching('"of-nothing"').delete(path)).status).toBe(404);
    expect((await matching('"of-nothing"').post('/project/create', { url: 'https://new.example' })).body).toMatchObject({
      code: 400,
      param: 'If-Match',
    });
  });

  it('compares settings, not what checkers measured, and not those of other objects', async () => {
    const projectId = (await create({ url: site.url, addPresetChecks: true })).body.id as string;
    const [first, second] = (await api.get(`/project/${projectId}/tests`)).body.map(({ id }: Json) => `/test/${id as string}`) as string[];
    const [test, otherTest] = [first ?? '', second ?? ''];
    const [before, projectTag] = [await tagOf(test), await tagOf(`/project/${projectId}`)];
    await api.get(`/project/${projectId}/start?keep-alive=true`);
    await until(async () => (await api.get(test)).body.status.lastRun > 0, 20_000, 'the first run');
    expect(await tagOf(test)).not.toBe(before);
    await api.put(otherTest, { notice: 'another' });
    expect((await matching(before).put(test, { notice: 'mine' })).status).toBe(200);
    expect((await matching(before).put(test, { notice: 'late' })).body.changes).toMatchObject([{ type: 'CheckNoticeChanged' }]);
    expect((await matching(await tagOf(otherTest)).delete(test)).status).toBe(412);
    expect((await matching(projectTag).put(`/project/${projectId}`, { title: 'Kept' })).status).toBe(200);
  });

  it('of a write with an Idempotency-Key lets its repeat have the first answer', async () => {
    const path = `/project/${(await create({ url: 'https://keyed.example' })).body.id as string}`;
    const keyed = api.with({ 'if-match': await tagOf(path), 'idempotency-key': 'matched-once' });
    const [first, repeat] = [await keyed.put(path, { title: 'Keyed' }), await keyed.put(path, { title: 'Keyed' })];
    expect([first.status, repeat.status, repeat.body]).toEqual([200, 200, first.body]);
  });
});

describe('PATCH', () => {
  it('changes what it names, makes initial what it removes, and merges objects', async () => {
    const path = `/project/${(await create({ url: 'https://patched.example', timeout: 9, delay: 70, userAgent: 'Mine' })).body.id as string}`;
    const patch = api.with({ 'content-type': 'application/merge-patch+json' });
    expect(await patch.patch(path, { title: 'Patched', timeout: null, userAgent: null, status: null })).toMatchObject({ status: 200 });
    expect((await api.get(path)).body).toMatchObject({
      title: 'Patched',
      timeout: 3,
      delay: 70,
      userAgent: expect.stringContaining('Watchledger'),
    });
    await api.patch(path, { title: null, period: null });
    expect((await api.get(path)).body).toMatchObject({ title: 'patched.example', period: '5 minutes' });
    for (const body of [null, [], 'text', { url: null }, { titel: null }])
      expect([body, (await api.patch(path, body)).status]).toEqual([body, 400]);
    const refused = await api.with({ 'content-type': 'text/xml' }).raw('PATCH', path, '<a/>');
    expect([refused.status, refused.headers.get('accept-patch')]).toEqual([415, 'application/merge-patch+json, application/json']);
    expect((await patch.put(path, { title: 'x' })).status).toBe(415);
  });

  it('reaches tests, groups and objectives', async () => {
    const path = `/project/${(await create({ url: 'https://patches.example' })).body.id as string}`;
    const group: Json = await api.post(`${path}/areas`, { name: 'Group', public: false, httpAuth: { user: 'ada', password: 'secret' } });
    const area = `/area/${group.body.id as string}`;
    expect((await api.patch(area, { period: '1 hour', httpAuth: { password: null } })).status).toBe(400);
    expect((await api.patch(area, { name: null })).status).toBe(400);
    expect((await api.patch(area, { period: '1 hour', public: null })).body).toMatchObject({
      period: '1 hour',
      public: true,
      httpAuth: { user: 'ada' },
    });
    expect((await api.patch(area, { period: null, httpAuth: null, form: null })).body).toMatchObject({
      period: 'true',
      httpAuth: { user: '' },
    });
    const rules = [{ type: 'status', op: 'eq', val: '200' }];
    const options = { g: true, w: 'X-From: here', method: 'POST', body: 'secret' };
    const made: Json = await api.post(`${path}/tests`, { url: '/', areaId: group.body.id, name: 'Test', rules, options });
    const test = `/test/${made.body.id as string}`;
    const changed = await api.patch(test, { options: { g: null, body: null }, rules: null });
    expect(changed.body).toMatchObject({
      name: 'Test',
      rules: [],
      options: { g: false, w: expect.stringContaining('X-From'), method: 'POST', body: '' },
    });
    expect((await api.patch(test, { options: null })).body.options).toMatchObject({ g: false, w: '', method: 'GET' });
    await api.put(`${path}/objective`, { objective: { percent: 99.9, window: 'month' }, offset: '+01:00' });
    const objective = { objective: { percent: 99.5, window: 'month' }, offset: '+01:00' };
    expect((await api.patch(`${path}/objective`, { objective: { percent: 99.5 } })).body).toMatchObject(objective);
    expect((await api.patch(`${path}/objective`, { objective: null, offset: null })).body).toMatchObject({
      objective: null,
      offset: '+00:00',
    });
    expect((await api.patch(`${path}/objective`, { objective: { percent: 99 } })).body).toMatchObject({
      code: 400,
      param: 'objective.window',
    });
    expect((await api.patch('/account', { timezone: 'Europe/Prague', phone: '+420 1' })).body).toMatchObject({ timezone: 'Europe/Prague' });
    expect((await api.patch('/account', { timezone: null, phone: null })).body).toMatchObject({ timezone: 'UTC', phone: null });
  });
});

describe('errors and spellings', () => {
  it.each([
    ['bad JSON', 'POST', '/project/create', '{', 400],
    ['a prototype', 'POST', '/project/create', '{"url":"https://example.com","__proto__":{"a":1}}', 400],
    ['a body over 1 MiB', 'POST', '/project/create', JSON.stringify({ url: 'x'.repeat(1_100_000) }), 413],
    ['an unknown path', 'GET', '/nothing', undefined, 404],
    ['another method', 'PATCH', '/projects', undefined, 404],
  ])('answers %s with the error body', async (_, method, path, body, status) => {
    const answer = await api.raw(method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ message: expect.any(String), code: status, ok: false, error: true });
  });

  it('accepts only JSON bodies', async () => {
    const answer = await api.with({ 'content-type': 'text/xml' }).raw('POST', '/project/create', '<a/>');
    expect(answer.status).toBe(415);
  });

  it('changes nothing on a HEAD request of a changing GET', async () => {
    expect((await api.send('HEAD', '/project/create?url=https://head.example')).status).toBe(404);
    expect((await api.get('/projects?search=head.example')).body.projects).toEqual([]);
  });

  it('serves the same resource for every spelling of its path', async () => {
    const of = (method: string, path: string): Promise<Response> =>
      fetch(`${service.url}/api${path}`, { method, headers: { authorization: `Bearer ${api.token ?? ''}` } });
    expect((await of('HEAD', '/project/creat%65?url=https://spelled.example')).status).toBe(404);
    expect((await api.get('/projects?search=spelled.example')).body.projects).toEqual([]);
    const made = await of('GET', '/project/creat%65?url=https://spelled.example');
    expect([made.status, await made.json()]).toEqual([200, expect.objectContaining({ url: 'https://spelled.example' })]);
  });
});
