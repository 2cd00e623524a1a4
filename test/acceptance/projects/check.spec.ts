import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { latestEvent } from '../../support/latest-event.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

const LOGIN =
  '<form id="login" method="post" action="/in"><input name="user"><input type="password" name="secret"><button>Go</button></form>';
let service: TestService;
let site: Site;
let owner: TestAccount;
let people: TestAccounts;
let api: ApiClient;
let projectId: string;
let areaId: string;
let mayLogIn = true;

beforeAll(async () => {
  site = await startHttp((request, response) => {
    response.setHeader('content-type', 'text/html');
    const signedIn = request.headers.cookie?.includes('session=good') === true;
    if (request.url === '/login') response.end(LOGIN);
    else if (request.url === '/in') {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (body.includes('secret=swordfish')) response.setHeader('set-cookie', 'session=good').end('Welcome');
        else response.end(LOGIN);
      });
    } else if (request.url === '/echo') {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.end(JSON.stringify({ body })));
    } else if (request.url === '/api/login') response.end(mayLogIn ? '{"token":"T0KEN-from-the-site"}' : '{}');
    else if (request.url === '/api/cart') response.end(request.headers.authorization === 'Bearer T0KEN-from-the-site' ? 'Your cart' : 'No');
    else if (request.url === '/private') response.end(signedIn ? 'Your orders' : 'Please sign in');
    else response.end(`<title>Shop &amp; more</title><h1>Welcome</h1><p>agent ${String(request.headers['x-test'] ?? 'none')}</p>`);
  });
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
  projectId = await people.project(owner, site.url);
  await api.put(`/project/${projectId}`, { period: false });
  areaId = (await api.post(`/project/${projectId}/areas`, { name: 'Shop' })).body.id as string;
});
afterAll(async () => {
  await people.deleteProjects();
  await site.close();
});

const create = (body: object): Promise<Json> => api.post(`/project/${projectId}/tests`, body);

describe('test groups', () => {
  it('creates a group with empty defaults and masked secrets', async () => {
    const { status, body } = await api.post(`/project/${projectId}/areas`, {
      name: 'Members',
      public: false,
      period: '1 hour',
      rules: [{ type: 'status', op: 'eq', val: 200 }],
      httpAuth: { user: 'u', password: 'p', url: '' },
      form: { identifier: 'login', enabled: false, baseUrl: `${site.url}/login`, params: 'user=a&secret=b' },
      options: { w: 'X-Key: 1' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      projectId,
      name: 'Members',
      public: false,
      period: '1 hour',
      periodInt: 3600,
      rules: [[{ type: 'status', op: 'eq', val: '200' }]],
      httpAuth: { user: 'u', password: '', url: '' },
      form: { identifier: 'login', params: '********', method: 'GET' },
      options: { w: 'X-Key: ********' },
      nextRun: -1,
    });
    expect(body).not.toHaveProperty('result');
    const sentBack = await api.put(`/area/${body.id as string}`, body);
    expect(sentBack.body).toEqual(body);
    expect((await api.get(`/project/${projectId}/history?type=AreaSignInChanged&type=AreaFormChanged`)).body.events).toEqual([]);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ nonsense: 1 }, 'nonsense'],
    [{ period: '2 minutes' }, 'period'],
    [{ options: { w: 'Host: evil' } }, 'options.w'],
    [{ options: { w: 'A: b\r\nProxy-Authorization: c' } }, 'options.w'],
    [{ rules: [{ type: 'nope', op: 'eq', val: '' }] }, 'rules'],
    [{ rules: [[{ type: 'html', op: 'xpath', val: '//a[' }]] }, 'rule 1'],
  ])('refuses %j', async (body, field) => {
    const answer = await api.put(`/area/${areaId}`, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(field);
  });

  it('keeps concurrent changes of different fields of a form, a sign-in and a test', async () => {
    const { id } = (await api.post(`/project/${projectId}/areas`, { name: 'Busy' })).body;
    const test = (await create({ areaId: id, url: '/', name: 'Busy' })).body.id as string;
    const members = { identifier: 'login', method: 'POST', baseUrl: `${site.url}/login`, html: '<form>', checksum: 'c', params: 'a=b' };
    const signIn = { user: 'u', url: `${site.url}/`, password: 'p' };
    const options = { '2': true, '6': false, g: true, l: true, w: 'X-Key: 1' };
    await api.put(`/area/${id as string}`, { form: { enabled: true }, httpAuth: { user: 'first' } });
    const changes = [
      ...Object.entries(members).map(([name, value]) => api.put(`/area/${id as string}`, { form: { [name]: value } })),
      ...Object.entries(signIn).map(([name, value]) => api.put(`/area/${id as string}`, { httpAuth: { [name]: value } })),
      ...Object.entries(options).map(([name, value]) => api.put(`/test/${test}`, { options: { [name]: value } })),
    ];
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect((await api.get(`/area/${id as string}`)).body).toMatchObject({
      form: { ...members, enabled: true, params: '********' },
      httpAuth: { ...signIn, password: '' },
    });
    expect((await api.get(`/test/${test}`)).body.options).toEqual({ ...options, w: 'X-Key: ********' });
    const events = (await api.get(`/project/${projectId}/history?type=AreaSignInChanged&order=desc&limit=1000`)).body.events as Json[];
    const last = events.find(({ data }) => data.areaId === id);
    expect(last?.data.to).toMatchObject({ user: 'u', url: `${site.url}/` });
    expect(last?.data.to.password).not.toBeNull();
  });

  it('keeps the markup of a form beside the log, and shows it as of an instant, too', async () => {
    const html = (text: string): string => `<form>${text.repeat(2_000)}</form>`;
    const { id } = (await api.post(`/project/${projectId}/areas`, { name: 'Marked', form: { identifier: 'login', html: html('one') } }))
      .body;
    const area = `/area/${id as string}`;
    const before = new Date().toISOString();
    expect((await api.put(area, { form: { html: html('two') } })).body.form.html).toBe(html('two'));
    // The answer sent back, as clients do, and a change of another member.
    const { form } = (await api.get(area)).body;
    for (const sent of [form, { checksum: 'c' }]) expect((await api.put(area, { form: sent })).status).toBe(200);
    expect((await api.get(area)).body.form).toEqual({ ...form, checksum: 'c' });
    expect((await api.get(`${area}?asOf=${encodeURIComponent(before)}`)).body.form.html).toBe(html('one'));
    expect((await api.get(`/project/${projectId}/areas`)).body.find((row: Json) => row.id === id).form.html).toBe(html('two'));

    const { rows } = await service.database.pool.query<{ data: string }>(
      `SELECT data FROM log WHERE scope = $1 AND type LIKE 'Area%' AND data LIKE $2`,
      [`project-${projectId}`, `%${id as string}%`],
    );
    expect(rows).toHaveLength(3);
    for (const { data } of rows) expect(data).not.toContain('<form>');
    for (const { data } of rows) expect(data.length).toBeLessThan(2_000);
    const stored = async (): Promise<readonly { readonly sealed: string }[]> =>
      (
        await service.observations.pool.query<{ sealed: string }>('SELECT sealed FROM form_html WHERE area_id = $1', [
          Buffer.from(id, 'hex'),
        ])
      ).rows;
    expect(await stored()).toHaveLength(2);
    for (const { sealed } of await stored()) expect(sealed).not.toContain('onetwo');
    expect((await api.put(area, { form: { html: '' } })).body.form.html).toBe('');
    expect((await api.delete(area)).status).toBe(200);
    expect(await stored()).toEqual([]);
  });

  it('deletes the tests of a deleted group', async () => {
    const { id } = (await api.post(`/project/${projectId}/areas`, { name: 'Doomed' })).body;
    const check = (await create({ areaId: id, url: '/', name: 'Doomed' })).body.id as string;
    expect((await api.delete(`/area/${id as string}`)).status).toBe(200);
    expect((await api.get(`/test/${check}`)).status).toBe(403);
  });
});

describe('tests', () => {
  it('creates a test in the first group by default and answers every field', async () => {
    const { status, body } = await create({ url: '/', name: 'Home', rules: [{ op: 'sub', val: 'Welcome' }] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      enabled: true,
      areaId,
      name: 'Home',
      url: '/',
      notice: '',
      type: 'simple',
      run: 'completed',
      flags: [],
      templateId: '',
      templateVars: [],
      options: { '2': false, '6': false, g: false, l: false, w: '' },
      rules: [{ type: 'text', op: 'sub', val: 'Welcome', origin: '', templateId: '', order: 0 }],
      status: { status: 'unknown', failures: [], lastRun: 0, lastChange: 0, request: { url: `${site.url}/`, method: 'GET' } },
    });
    expect(body.status.rules).toEqual(body.rules);
  });

  it('changes only the supplied fields and accepts its own answer unchanged', async () => {
    const { body } = await create({ url: '/x', name: 'Change', notice: 'note', options: { g: true, w: 'X-Test: 1' } });
    const id = body.id as string;
    expect((await api.put(`/test/${id}`, { name: 'Changed' })).body).toEqual({ ...body, name: 'Changed' });
    expect((await api.put(`/tests/${id}`, { ...body, name: 'Changed' })).body).toEqual({ ...body, name: 'Changed' });
    const inStatus = await api.put(`/test/${id}`, { ...body, status: { rules: [{ type: 'title', op: 'eq', val: 'A' }] } });
    expect(inStatus.body.rules).toMatchObject([{ type: 'title', op: 'eq', val: 'A' }]);
  });

  it('sends a method and a body, and never shows the body', async () => {
    const options = { method: 'POST', contentType: 'application/json', body: '{"token": "SECRET"}' };
    const { body } = await create({
      url: '/echo',
      name: 'Endpoint',
      options,
      rules: [{ type: 'json:$.body', op: 'regex', val: '^\\{"token' }],
    });
    const id = body.id as string;
    expect(body.options).toEqual({ '2': false, '6': false, g: false, l: false, w: '', ...options, body: '********' });
    expect(body.status.request.method).toBe('POST');
    expect((await api.put(`/test/${id}`, body)).body).toEqual(body);
    const job = (await api.get(`/project/${projectId}/start?keep-alive=true&tests=${id}`)).body.jobId as string;
    const [run] = (await api.get(`/project/${projectId}/job/${job}/results`)).body.results;
    expect(run).toMatchObject({ status: 'ok', failures: [], request: { url: `${site.url}/echo`, method: 'POST' } });
    const history = await api.get(`/project/${projectId}/history`);
    expect([history.text, (await api.get(`/project/${projectId}/tests`)).text].join()).not.toContain('SECRET');
    const without = await api.put(`/test/${id}`, { options: { method: 'HEAD', body: '' }, rules: [] });
    expect(without.body.options).toMatchObject({ method: 'HEAD', body: '', contentType: 'application/json' });
    const head = (await api.get(`/project/${projectId}/start?keep-alive=true&tests=${id}`)).body.jobId as string;
    expect((await api.get(`/project/${projectId}/job/${head}/results`)).body.results).toMatchObject([
      { status: 'ok', request: { method: 'HEAD' } },
    ]);
  });

  it('hands values from test to test of a group, skips a test without its value, and shows no value to anybody', async () => {
    const group = (await api.post(`/project/${projectId}/areas`, { name: 'Journey' })).body.id as string;
    const [extract, uses] = [[{ name: 'token', from: 'json:$.token' }], ['token']];
    const page = { areaId: group, url: '/api/cart', rules: [{ op: 'sub', val: 'Your cart' }] };
    const w = 'Authorization: Bearer {{token}}';
    const refused = await create({ ...page, options: { uses, w } });
    expect([refused.status, refused.body.param]).toEqual([400, 'options.uses']);
    const login = (await create({ areaId: group, name: 'Sign in', url: '/api/login', options: { method: 'POST', extract } })).body;
    expect(login.options).toMatchObject({ extract });
    expect((await api.put(`/test/${login.id as string}`, login)).body).toEqual(login);
    const cart = (await create({ ...page, options: { uses, w } })).body.id as string;
    const start = async (): Promise<Json> => {
      const job = (await api.get(`/project/${projectId}/start/area/${group}?keep-alive=true`)).body.jobId as string;
      return (await api.get(`/project/${projectId}/job/${job}/results`)).body.results;
    };
    expect(await start()).toMatchObject([{ status: 'ok' }, { status: 'ok', failures: [] }]);
    expect((await api.post(`/project/${projectId}/try`, { ...page, options: { uses, w } })).body).toMatchObject({
      status: 'ok',
      failures: [],
    });
    mayLogIn = false;
    expect(await start()).toMatchObject([{ testId: login.id, failures: ['Expected json:$.token to give `token`, but found no value'] }]);
    const skipped = { since: expect.any(String), reason: 'not run: step "Sign in" gave no `token`' };
    expect((await api.get(`/test/${cart}`)).body.status).toMatchObject({ status: 'ok', failures: [], skipped });
    const tried = await api.post(`/project/${projectId}/try`, { ...page, options: { uses, w } });
    expect([tried.status, tried.body.message]).toEqual([400, `options.uses: ${skipped.reason}`]);
    mayLogIn = true;
    expect(await start()).toHaveLength(2);
    expect((await api.get(`/test/${cart}`)).body.status).not.toHaveProperty('skipped');
    const history = await api.get(`/project/${projectId}/history?limit=1000`);
    expect(history.text).toContain('CheckResumed');
    expect([history.text, (await api.get(`/project/${projectId}/tests`)).text].join()).not.toContain('T0KEN');
  });

  it.each([
    [{}, /URL must be specified/],
    [{ url: '' }, /URL must be specified/],
    [{ url: 'javascript:alert(1)' }, /valid URL/],
    [{ url: 'http://[::ffff:10.0.0.1]/' }, /valid URL/],
    [{ url: '/a\nb' }, /valid URL/],
  ])('refuses an unusable url (%j) with nothing but a message', async (body, message) => {
    const answer = await create({ name: 'x', ...body });
    expect([answer.status, answer.body]).toEqual([400, { message: expect.stringMatching(message) }]);
  });

  it.each([
    [{ url: '/', rules: [{ type: 'text', op: 'regex', val: '(' }] }, 'rule 1'],
    [{ url: '/', rules: [{ type: 'title', op: 'xpath', val: '//h1' }] }, 'xpath'],
    [{ url: '/', rules: 'text' }, 'rules'],
    [{ url: '/', rules: ['text'] }, 'rules.0: must be an object'],
    [{ url: '/', rules: [null] }, 'rules: must be an array of rules'],
    [{ url: '/', rules: [[]] }, 'rules: must be an array of rules'],
    [{ url: '/', rules: [{ op: 'sub', val: 'x'.repeat(30_000) }] }, 'rules'],
    [{ url: '/', options: { z: true } }, 'options.z'],
    [{ url: '/', options: { method: 'TRACE' } }, 'options.method'],
    [{ url: '/', options: { extract: [{ name: 'a b', from: 'json:$' }] } }, 'options.extract.0.name'],
    [{ url: '/', options: { extract: [{ name: 'a', from: 'xpath://a' }] } }, 'options.extract.0.from'],
    [{ url: '/', options: { extract: [{ name: 'a', from: 'json:$[' }] } }, 'options.extract.0.from: json:$[ cannot be used'],
    [{ url: '/', options: { extract: [{ name: 'a', from: 'pattern:ab' }] } }, 'exactly one group'],
    [
      { url: '/', options: { extract: [{ name: 'a', from: 'header:x', origins: ['https://a.example/path'] }] } },
      'options.extract.0.origins',
    ],
    [{ url: '/', options: { uses: ['nothing'] } }, 'options.uses: no earlier test'],
    [{ url: 'https://a{{n}}.example/', options: { uses: ['n'] } }, 'its host is not one'],
    [{ url: '/', options: { body: 'a' } }, 'options.body: is not sent with GET'],
    [{ url: '/', options: { method: 'POST', body: 'a'.repeat(9_000) } }, 'options.body'],
    [{ url: '/', options: { method: 'POST', body: '********' } }, 'options.body: has no saved value'],
    [{ url: '/', options: { method: 'POST', contentType: 'a\nb' } }, 'options.contentType'],
    [{ url: '/', type: 'other' }, 'type'],
    [{ url: '/', nonsense: 1 }, 'nonsense'],
  ])('refuses %j', async (body, field) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(field);
  });

  it('names every rule and option that cannot be read, by its path', async () => {
    const extract = [
      { name: 'a', from: 'header:x' },
      { name: 'b', from: 'json:$[' },
    ];
    const rules = [
      { type: 'text', op: 'sub', val: 'a' },
      { type: 'text', op: 'regex', val: '(' },
      { type: 'json:$[', op: 'lt', val: 'b' },
    ];
    const params = async (path: string, body: object): Promise<readonly unknown[]> => {
      const { status, body: answer } = await (path === 'POST' ? create(body) : api.put(path, body));
      return [status, answer.param, ...(answer.errors as Json[]).map(({ param }) => param as unknown)];
    };
    const all = ['rules.1.val', 'rules.2.type', 'rules.2.val', 'options.extract.1.from', 'options.body'].toSorted();
    const [status, first, ...named] = await params('POST', { url: '/', rules, options: { extract, body: 'a' } });
    expect([status, first, named.toSorted()]).toEqual([400, 'rules.1.val', all]);
    const { id } = (await create({ url: '/' })).body;
    expect(await params(`/test/${id as string}`, { status: { rules } })).toEqual(
      expect.arrayContaining([400, 'status.rules.1.val', 'status.rules.2.val']),
    );
    const group = await params(`/area/${areaId}`, { rules: [[rules[0]], [rules[0], rules[1]]], options: { w: '********' } });
    expect(group.slice(0, 3)).toEqual([400, 'rules.1.1.val', 'rules.1.1.val']);
  });

  it('refuses to move a test into a group of another project', async () => {
    const other = await people.project(owner, 'https://example.org');
    const foreign = (await api.post(`/project/${other}/areas`, { name: 'Foreign' })).body.id as string;
    expect((await create({ url: '/', areaId: foreign })).status).toBe(404);
  });

  it('deletes a test permanently', async () => {
    const { body } = await create({ url: '/', name: 'Deleted' });
    expect((await api.delete(`/test/${body.id as string}`)).body).toMatchObject({
      success: true,
      error: false,
      message: expect.any(String),
    });
    expect((await api.delete(`/test/${body.id as string}`)).status).toBe(404);
  });

  it('names a test without a name by the title of its page', async () => {
    const { body } = await create({ url: '/', rules: [{ op: 'sub', val: 'Welcome' }] });
    await api.get(`/project/${projectId}/start?keep-alive=true&tests=${body.id as string}`);
    expect((await api.get(`/test/${body.id as string}`)).body.name).toBe('Shop & more');
  });
});

describe('trial runs', () => {
  const attempt = (body: object): Promise<Json> => api.post(`/project/${projectId}/try`, body);

  it('answers what a run would find and stores nothing', async () => {
    const before = await latestEvent(api, projectId);
    const { status, body } = await attempt({
      url: '/',
      options: { w: 'X-Test: seen' },
      rules: [
        { type: 'title', op: 'eq', val: 'Shop & more' },
        { type: 'text', op: 'sub', val: 'agent seen' },
        { type: 'html', op: 'xpath', val: 'count(//h1)=1' },
        { type: 'status', op: 'eq', val: '404' },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'error', failures: [expect.stringMatching(/404.*200/)], response: { httpStatus: '200' } });
    expect(await latestEvent(api, projectId)).toBe(before);
  });

  it('refuses the input that a stored test refuses', async () => {
    expect((await attempt({ url: 'http://192.168.0.1/' })).status).toBe(400);
    expect((await attempt({ url: '/', rules: [{ op: 'regex', val: '(?=x)' }] })).status).toBe(400);
  });
});

describe('sign-in of a group', () => {
  it("keeps sending credentials only to the original site after the project's url changes", async () => {
    const elsewhere: string[] = [];
    const other = await startHttp((request, response) => {
      elsewhere.push(String(request.headers.authorization));
      response.writeHead(401, { 'www-authenticate': 'Basic realm="give it to me"' }).end('<input type="password">');
    });
    const moving = await people.project(owner, site.url);
    await api.put(`/project/${moving}`, { period: false, uptimeEnabled: false });
    const httpAuth = { user: 'u', password: 'topsecret', url: '' };
    const form = { enabled: true, identifier: 'login', params: 'secret=swordfish' };
    const [members, staff] = [
      (await api.post(`/project/${moving}/areas`, { name: 'Members', httpAuth })).body,
      (await api.post(`/project/${moving}/areas`, { name: 'Staff', form })).body,
    ];
    await api.post(`/project/${moving}/tests`, { areaId: members.id, url: '/private' });
    expect((await api.put(`/project/${moving}`, { url: other.url })).status).toBe(200);
    expect((await api.get(`/area/${members.id as string}`)).body.httpAuth).toEqual({ user: 'u', password: '', url: site.url });
    expect((await api.get(`/area/${staff.id as string}`)).body.form).toMatchObject({ identifier: 'login', baseUrl: site.url });
    await api.get(`/project/${moving}/start?keep-alive=true`);
    expect(elsewhere.length).toBeGreaterThan(0);
    expect(elsewhere.filter((authorization) => authorization !== 'undefined')).toEqual([]);
    await other.close();
  });

  it('accepts a path of the site as sign-in address and refuses an invalid address', async () => {
    const { id } = (await api.post(`/project/${projectId}/areas`, { name: 'By path' })).body;
    const form = { enabled: true, baseUrl: '/login', identifier: 'login', params: 'user=a&secret=swordfish' };
    const saved = await api.put(`/area/${id as string}`, { form, httpAuth: { user: 'u', password: 'p', url: '/private' } });
    expect(saved.body).toMatchObject({ form: { baseUrl: `${site.url}/login` }, httpAuth: { url: `${site.url}/private` } });
    await create({ areaId: id, url: '/private', rules: [{ type: 'text', op: 'sub', val: 'Your orders' }] });
    const job = (await api.get(`/project/${projectId}/start/area/${id as string}?keep-alive=true`)).body;
    const { results } = (await api.get(`/project/${projectId}/job/${job.jobId as string}/results`)).body;
    expect(results).toMatchObject([{ status: 'ok', failures: [] }]);
    for (const url of ['ftp://site.example/', 'javascript:alert(1)', 'http://', 'https://u:p@site.example/']) {
      const answers = [
        await api.put(`/area/${id as string}`, { httpAuth: { url, password: 'p' } }),
        await api.put(`/area/${id as string}`, { form: { baseUrl: url, params: 'a=b' } }),
      ];
      expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
        [400, expect.stringContaining('httpAuth.url: is not a valid URL')],
        [400, expect.stringContaining('form.baseUrl: is not a valid URL')],
      ]);
    }
  });

  it('signs in before the tests of the group and fails all of them when sign-in fails', async () => {
    const form = { identifier: 'login', enabled: true, method: 'POST', baseUrl: `${site.url}/login`, params: 'user=ada&secret=swordfish' };
    const group = (await api.post(`/project/${projectId}/areas`, { name: 'Private', form })).body.id as string;
    const test = (await create({ areaId: group, url: '/private', name: 'Orders', rules: [{ op: 'sub', val: 'Your orders' }] })).body
      .id as string;
    await api.get(`/project/${projectId}/start/area/${group}?keep-alive=true`);
    expect((await api.get(`/test/${test}`)).body.status).toMatchObject({ status: 'ok', failures: [] });
    const found = (await api.get(`/area/${group}`)).body;
    expect(found).toMatchObject({ form: { checksum: '' }, foundChecksum: expect.stringMatching(/./) });
    expect((await api.put(`/area/${group}`, found)).body).toEqual({ ...found, nextRun: expect.any(Number) });
    const saved = (await api.put(`/area/${group}`, { form: { checksum: found.foundChecksum } })).body;
    expect([saved.form.checksum, saved.foundChecksum]).toEqual([found.foundChecksum, undefined]);
    const trial = { areaId: group, url: '/private', rules: [{ op: 'sub', val: 'Your orders' }] };
    expect((await api.post(`/project/${projectId}/try`, trial)).body).toMatchObject({ status: 'ok', failures: [] });
    await api.put(`/area/${group}`, { form: { ...form, params: 'user=ada&secret=wrong' } });
    const { body } = await api.get(`/project/${projectId}/start/area/${group}?keep-alive=true`);
    const job = (await api.get(`/project/${projectId}/job/${body.jobId as string}/results`)).body;
    expect(job.results[0]).toMatchObject({ status: 'error', failures: [expect.stringContaining('sign-in')] });
    expect((await api.post(`/project/${projectId}/try`, trial)).body).toMatchObject({
      status: 'error',
      failures: [expect.stringContaining('sign-in')],
    });
    expect(JSON.stringify((await api.get(`/project/${projectId}/history?limit=1000`)).body)).not.toContain('swordfish');
  });
});
