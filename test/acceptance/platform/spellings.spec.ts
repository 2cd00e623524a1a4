import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { SHARED_CORS_ORIGIN, sharedService } from '../../support/shared-service.ts';
import { errorBody } from '../../support/error-body.ts';

let service: TestService;
let site: Site;
let people: TestAccounts;
let owner: TestAccount;
let api: ApiClient;
let projectId: string;

beforeAll(async () => {
  site = await startHttp((_, response) => {
    response.setHeader('content-type', 'text/html').end('<title>Shop</title>');
  });
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
  projectId = await people.project(owner, site.url);
  await api.put(`/project/${projectId}`, { period: false, uptimeEnabled: false });
});
afterAll(async () => {
  await people.deleteProjects();
  await site.close();
});

const project = async (): Promise<Json> => (await api.get(`/project/${projectId}`)).body;

/** The spellings of true and false by JSON, PHP and Python clients. */
const yes = [true, 'true', 'True', 'TRUE', 1, '1'];
const no = [false, 'false', 'False', 'FALSE', 0, '0'];
const neither = ['yes', 'on', '', 2, -1, null, [true], {}];

describe('booleans', () => {
  it.each([...yes.map((given) => [given, true] as const), ...no.map((given) => [given, false] as const)])(
    'is read from %j',
    async (given, meant) => {
      await api.put(`/project/${projectId}`, { checkDefaultErrors: !meant });
      expect((await api.put(`/project/${projectId}`, { checkDefaultErrors: given })).status).toBe(200);
      expect((await project()).checkDefaultErrors).toBe(meant);
      const test = await api.post(`/project/${projectId}/tests`, { url: '/', enabled: given, options: { l: given } });
      expect([test.status, test.body.enabled, test.body.options.l]).toEqual([200, meant, meant]);
      const area = await api.post(`/project/${projectId}/areas`, { name: 'Group', public: given });
      expect([area.status, area.body.public]).toEqual([200, meant]);
      const settings = await api.post(`/project/${projectId}/notifications`, { slack: given });
      expect([settings.status, settings.body.slack]).toEqual([200, meant]);
    },
  );

  it.each(neither)('refuses %j', async (given) => {
    const answers = await Promise.all([
      api.put(`/project/${projectId}`, { checkDefaultErrors: given }),
      api.post(`/project/${projectId}/tests`, { url: '/', enabled: given }),
      api.post(`/project/${projectId}/tests`, { url: '/', options: { l: given } }),
      api.post(`/project/${projectId}/areas`, { name: 'Group', public: given }),
      api.post(`/project/${projectId}/notifications`, { slack: given }),
    ]);
    for (const { status, body } of answers)
      expect([status, body.message]).toEqual([400, expect.stringMatching(/: must be true or false$/)]);
  });

  it.each([
    ['True', 4],
    ['1', 4],
    ['False', 0],
    ['', 0],
  ])('reads a query value from "%s"', async (given, checks) => {
    const made = await api.get(`/project/create?url=${site.url}&addPresetChecks=${given}&checkInterval=`);
    expect([made.status, made.body.period]).toEqual([200, '5 minutes']);
    const tests = (await api.get(`/project/${made.body.id as string}/tests`)).body as Json[];
    expect(tests.length).toBeGreaterThanOrEqual(checks);
    expect(tests.length > 0).toBe(checks > 0);
  });
});

describe('null for an optional field', () => {
  it('is accepted when a project is created', async () => {
    const made = await api.post('/project/create', { url: site.url, addPresetChecks: null, checkInterval: null });
    expect([made.status, made.body.period]).toEqual([200, '5 minutes']);
  });

  it.each([
    'title',
    'name',
    'url',
    'period',
    'uptimeUrl',
    'uptimeEnabled',
    'location',
    'checkDefaultErrors',
    'userAgent',
    'timeout',
    'delay',
    'sslAlertPeriod',
  ])('is refused for a field of a project: %s', async (field) => {
    const before = await project();
    const answer = await api.put(`/project/${projectId}`, { [field]: null });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(`^${field}: `)]);
    expect((await project())[field]).toEqual(before[field]);
  });

  it.each(['name', 'enabled', 'notice', 'type', 'areaId', 'options', 'templateId', 'templateVars'])(
    'is refused for a field of a test: %s',
    async (field) => {
      const { id } = (await api.post(`/project/${projectId}/tests`, { url: '/', name: 'Home' })).body;
      const answers = [
        await api.put(`/test/${id as string}`, { [field]: null }),
        await api.post(`/project/${projectId}/tests`, { url: '/', [field]: null }),
      ];
      for (const { status, body } of answers) expect([status, body.message]).toEqual([400, expect.stringMatching(`^${field}: `)]);
      expect((await api.get(`/test/${id as string}`)).body).toMatchObject({ name: 'Home' });
    },
  );

  it.each(['name', 'public', 'period', 'httpAuth', 'form', 'options'])('is refused for a field of a group: %s', async (field) => {
    const { id } = (await api.post(`/project/${projectId}/areas`, { name: 'Group' })).body;
    const answer = await api.put(`/area/${id as string}`, { [field]: null });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(`^${field}: `)]);
    expect((await api.get(`/area/${id as string}`)).body).toMatchObject({ name: 'Group' });
  });
});

describe('lists', () => {
  it.each(['tests=ONE&tests=TWO', 'tests[]=ONE&tests[]=TWO', 'tests[0]=ONE&tests[1]=TWO', 'tests%5B0%5D=ONE&tests%5B1%5D=TWO'])(
    'reads a query list from %s',
    async (query) => {
      const area = (await api.post(`/project/${projectId}/areas`, { name: 'Chosen' })).body.id as string;
      const ids = await Promise.all(
        ['/a', '/b', '/c'].map(async (url) => (await api.post(`/project/${projectId}/tests`, { url, areaId: area })).body.id as string),
      );
      const chosen = query.replace('ONE', ids[0] ?? '').replace('TWO', ids[1] ?? '');
      const started = await api.get(`/project/${projectId}/start/area/${area}?keep-alive=1&${chosen}`);
      const { body } = await api.get(`/project/${projectId}/job/${started.body.jobId as string}/results`);
      expect([body.total, body.mode]).toEqual([2, 1]);
      expect(body.results.map(({ testId }: Json) => testId as string).toSorted()).toEqual(ids.slice(0, 2).toSorted());
    },
  );

  it.each(['urls=x', 'urls[]=x&urls[]=y', 'urls[0]=x'])('refuses a list of urls with its own message: %s', async (query) => {
    const answer = await api.get(`/project/create?${query}`);
    expect([answer.status, Object.keys(answer.body as object)]).toEqual([432, ['message']]);
  });

  it('accepts user ids in the form in which they are shown', async () => {
    const guest = await people.register('guest');
    await people.join(projectId, owner, guest, '6');
    const again = await api.post(`/project/${projectId}/users`, { email: guest.email, role: 6 });
    expect(again.body.id).toBe(String(guest.userId));
    expect((await api.delete(`/project/${projectId}/users`, { users: [again.body.id] })).body).toEqual({
      code: 200,
      ok: true,
      error: false,
    });
  });
});

describe('content types', () => {
  const send = async (method: string, path: string, body: string, type?: string): Promise<readonly [number, Json]> => {
    const headers = { authorization: `Bearer ${api.token ?? ''}`, ...(type === undefined ? {} : { 'content-type': type }) };
    // As bytes, because for a string fetch adds a content type.
    const answer = await fetch(`${service.url}/api${path}`, { method, headers, body: new TextEncoder().encode(body) });
    return [answer.status, await answer.json()];
  };

  it('may be omitted', async () => {
    expect(await send('PUT', `/project/${projectId}`, '{"title":"Untyped"}')).toEqual([200, { code: 200, ok: true, error: false }]);
    expect((await project()).title).toBe('Untyped');
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])('accepts JSON in any spelling: %s', async (type) => {
    expect((await send('PUT', `/project/${projectId}`, '{"title":"Typed"}', type))[0]).toBe(200);
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
    'refuses %s, but accepts an empty body with it',
    async (type) => {
      const [status, body] = await send('PUT', `/project/${projectId}`, 'title=x', type);
      expect([status, body]).toEqual([415, errorBody(415)]);
      expect((await send('DELETE', `/test/${'0'.repeat(24)}`, '', type))[0]).toBe(404);
    },
  );
});

describe('a hundred concurrent writers', () => {
  it('all succeed on one project without mixing their values', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => api.put(`/project/${projectId}`, { title: `Title ${String(n)}`, delay: n })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { title, delay } = await project();
    expect(title).toBe(`Title ${String(delay)}`);
  });
});

describe('signing in', () => {
  it('answers WWW-Authenticate to a refused client and reads one token only', async () => {
    for (const authorization of ['', `Bearer ${api.token ?? ''} ${api.token ?? ''}`, `Bearer ${api.token ?? ''}, x`]) {
      const answer = await people.anonymous.with({ authorization }).get('/projects');
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
    expect((await people.anonymous.with({ authorization: `bearer ${api.token ?? ''}` }).get('/projects')).status).toBe(200);
    expect(
      (await people.anonymous.post('/authenticate', { email: owner.email, password: `not ${PASSWORD}` })).headers.get('www-authenticate'),
    ).toBe('Bearer');
  });
});

describe('cross-origin requests of a browser', () => {
  const preflight = (method: string, origin: string): Promise<Response> =>
    fetch(`${service.url}/api/project/${projectId}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization,content-type' },
    });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('may send a %s from an allowed origin', async (method) => {
    const answer = await preflight(method, SHARED_CORS_ORIGIN);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, SHARED_CORS_ORIGIN]);
    expect(answer.headers.get('access-control-allow-methods')?.split(/, ?/)).toContain(method);
    expect(answer.headers.get('access-control-allow-headers')).toContain('authorization');
  });

  it('expose refusals and Retry-After to an allowed origin only', async () => {
    const ask = (origin: string): Promise<Response> => fetch(`${service.url}/api/projects`, { headers: { origin } });
    const answer = await ask(SHARED_CORS_ORIGIN);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, SHARED_CORS_ORIGIN]);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
    for (const other of [await ask('https://evil.example'), await preflight('GET', 'https://evil.example')])
      expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});
