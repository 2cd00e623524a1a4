import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Site, startHttp } from '../../../test/support/servers/site.ts';
import { imported, reasonsOf } from '../../../test/support/imported.ts';
import { sitesOf } from '../import-result.ts';
import { apiImporter } from './api.importer.ts';

const MASKED = '********';
const project = {
  ...{ id: 'p1', title: 'Shop', name: 'Shop', url: 'https://shop.example', period: '30 minutes', uptimeUrl: '', uptimeEnabled: '30' },
  ...{
    apiKey: 'x',
    payerId: 1,
    location: 'eu',
    checkDefaultErrors: false,
    created: '2023-03-23T12:53:20+00:00',
    userAgent: 'Bot/1.0',
    timeout: 3,
  },
  ...{ delay: 50, userIds: [1, 2], status: 'ok', sslStatus: 'ok', sslExpiration: null, sslAlertPeriod: 14, httpsRedirectEnabled: true },
  ...{
    httpsRedirectStatus: 'ok',
    webPushEnabled: false,
    securityMonitoringEnabled: false,
    isWordPress: null,
    permissions: { read: true },
    tags: ['shop', 'EU'],
  },
};
const areas = [
  {
    ...{ id: 'a1', projectId: 'p1', name: 'Public', public: true, rules: [[{ type: 'status', op: 'eq', val: '200' }]], period: 'true' },
    ...{ form: { identifier: '' }, httpAuth: { user: '', password: '', url: '' }, options: { w: '' }, nextRun: 5, periodInt: 1_800 },
  },
  {
    ...{ id: 'a2', projectId: 'p1', name: 'Staff', public: false, rules: [], period: '1 day', options: { w: `X-Token: ${MASKED}` } },
    ...{
      form: { identifier: 'login', enabled: true, method: 'POST', action: '/in', params: MASKED },
      httpAuth: { user: 'ann', password: '', url: '' },
    },
  },
];
const tests = [
  {
    ...{ id: 't1', areaId: 'a1', enabled: true, name: 'Front page', url: '/', notice: '', type: 'homepage', run: 'completed', flags: [] },
    ...{ templateId: '', templateVars: [], options: { '2': false, '6': false, g: false, l: true, w: '' } },
    status: { status: 'ok', failures: [], rules: [{ type: 'title', op: 'sub', val: 'Shop', origin: 'preset', order: 0 }] },
  },
  {
    ...{ id: 't2', areaId: 'a2', enabled: false, name: 'Front page', url: '/staff', notice: 'n', type: 'simple', templateId: 'tpl' },
    ...{
      rules: [],
      options: { w: `Authorization: ${MASKED}`, method: 'POST', body: MASKED, extract: [{ name: 'id', from: 'json:$.id' }], uses: [] },
    },
  },
];

const users = [
  { id: '1', email: 'owner@example.com', role: { id: '4', name: 'Admin' }, isPayer: true },
  { id: '2', email: 'dev@example.com', role: { id: '5', name: 'Developer' }, isPayer: false },
  { id: '3', email: null, name: 'Hidden', role: { id: '6' }, isPayer: false },
];

let answers: Readonly<Record<string, unknown>> = {};
let busy = 0;
let forbidden = '';
let server: Site;
beforeAll(async () => {
  server = await startHttp((request, response) => {
    if (request.headers.authorization !== 'Bearer secret-token') response.writeHead(401).end('{"message":"log in"}');
    else if (request.url === forbidden) response.writeHead(403).end();
    else if (busy-- > 0) response.writeHead(429, { 'retry-after': '0' }).end();
    else if (!Object.hasOwn(answers, request.url ?? '')) response.writeHead(404).end();
    else response.end(JSON.stringify(answers[request.url ?? '']));
  });
});
afterAll(() => server.close());

const older = {
  ...{ '/v1/project/p1': project, '/v1/project/p1/areas': areas, '/v1/project/p1/status': { project: {}, total: 2, tests } },
  ...{ '/v1/project/p1/users': users, '/v1/project/p1/notifications': { severity: 3, email: true, slack: false, other: true } },
};
const read = (path: string, token = 'secret-token'): ReturnType<typeof imported> =>
  imported('api', `${server.url}${path}`, { SOURCE_TOKEN: token });

describe('an import over the public API', () => {
  it.each<[string, string, Readonly<Record<string, unknown>>]>([
    ['lists projects as an array', '/v1', { ...older, '/v1/project': [{ id: 'p1' }] }],
    ['lists projects as an object by id', '/v1/', { ...older, '/v1/projects': { p1: { title: 'Shop' } } }],
    [
      'lists projects in pages',
      '/v1',
      { ...older, '/v1/projects': { projects: [], nextCursor: 'c' }, '/v1/projects?cursor=c': { projects: [{ id: 'p1' }] } },
    ],
    ['lists none, with the address of a project', '/v1/project/p1', older],
    [
      'has a list of tests',
      '/v1',
      { ...older, '/v1/projects': [{ id: 'p1' }], '/v1/project/p1/tests': tests, '/v1/project/p1/status': {} },
    ],
  ])('reads a service that %s', async (_, path, given) => {
    answers = given;
    busy = 1;
    const { sites } = await read(path);
    expect(sites).toEqual([
      {
        ...{ key: 'import:api:p1', url: 'https://shop.example', title: 'Shop', period: '30 minutes', uptimeEnabled: '30' },
        ...{ checkDefaultErrors: false, userAgent: 'Bot/1.0', tags: ['shop', 'EU'] },
        groups: [
          {
            ...{ key: 'import:api:a1', name: 'Public', rules: [[{ type: 'status', op: 'eq', val: '200' }]] },
            checks: [
              {
                ...{ key: 'import:api:t1', name: 'Front page', url: '/', type: 'homepage' },
                ...{ rules: [{ type: 'title', op: 'sub', val: 'Shop', origin: 'preset' }], options: { l: true } },
              },
            ],
          },
          {
            ...{
              key: 'import:api:a2',
              name: 'Staff',
              public: false,
              period: '1 day',
              options: { w: 'X-Token: ${env:API_AREA_A2_X_TOKEN}' },
            },
            form: { identifier: 'login', enabled: true, method: 'POST', action: '/in', params: '${env:API_AREA_A2_FORM}' },
            httpAuth: { user: 'ann', password: '${env:API_AREA_A2_PASSWORD}' },
            checks: [
              {
                ...{ key: 'import:api:t2', name: 'Front page (2)', url: '/staff', enabled: false, notice: 'n', templateId: 'tpl' },
                options: {
                  ...{ w: 'Authorization: ${env:API_T2_AUTHORIZATION}', method: 'POST', body: '${env:API_T2_BODY}' },
                  extract: [{ name: 'id', from: 'json:$.id' }],
                },
              },
            ],
          },
        ],
        members: [{ email: 'dev@example.com', role: 5 }],
        notifications: { severity: 3, email: true, slack: false },
      },
    ]);
  });

  it('names what answers do not show', async () => {
    answers = older;
    expect(reasonsOf(await read('/v1/project/p1'))).toEqual(
      expect.arrayContaining([
        'not carried: Shop: users: Hidden has no address or no role that exists here',
        'not carried: Shop / Staff: the fields of its sign-in form: answers do not show it; set the variable API_AREA_A2_FORM',
        'not carried: Shop / Staff: the password of its sign-in: answers do not show it; set the variable API_AREA_A2_PASSWORD',
        'not carried: Shop / Front page (2): the value of the extra header Authorization: answers do not show it; set the variable API_T2_AUTHORIZATION',
      ]),
    );
  });

  it('imports the rest where the token may not read members', async () => {
    [answers, forbidden] = [older, '/v1/project/p1/users'];
    const found = await read('/v1/project/p1');
    forbidden = '';
    expect(reasonsOf(found)).toContain('not carried: Shop: members: the token may not read them');
    expect(found.sites).toMatchObject([{ title: 'Shop', notifications: { severity: 3 } }]);
  });

  it('imports the other projects where the token may not read one, and names it', async () => {
    [answers, forbidden] = [{ ...older, '/v1/projects': [{ id: 'p2' }, { id: 'p1' }] }, '/v1/project/p2'];
    const found = await read('/v1');
    expect([found.sites.map(({ title }) => title), reasonsOf(found)[0]]).toEqual([
      ['Shop'],
      'left out: project p2: the token may not read it',
    ]);
    forbidden = '/v1/project/p1';
    await expect(read('/v1/project/p1')).rejects.toThrow('answers 403');
    [answers, forbidden] = [{ ...older, '/v1/projects': [{ id: 'p1' }] }, '/v1/project/p1/areas'];
    expect(reasonsOf(await read('/v1'))).toContain('left out: project p1: the token may not read it');
    forbidden = '';
  });

  it('imports a project without checks', async () => {
    answers = { ...older, '/v1/project/p1/status': { tests: [] } };
    const source = { name: `${server.url}/v1/project/p1`, env: { SOURCE_TOKEN: 'secret-token' }, now: 0 };
    const { sites } = await sitesOf('api', apiImporter, source);
    expect(sites).toMatchObject([{ title: 'Shop', uptimeEnabled: '30', groups: [] }]);
  });

  it.each([
    ['login=ann&password=********', true],
    ['login=ann&password=%E2%80%A2%E2%80%A2%E2%80%A2%E2%80%A2', true],
    ['{"password":"****"}', true],
    ['Bearer ******', true],
    ['login=ann&pattern=*/*&more=a***b', false],
  ])('takes no masked part of %s for the value', async (params, isMasked) => {
    const [first, second] = areas;
    answers = { ...older, '/v1/project/p1/areas': [first, { ...second, form: { ...second?.form, params } }] };
    const { sites, secrets } = await read('/v1/project/p1');
    expect(sites[0]?.groups[1]?.form?.params).toBe('${env:API_AREA_A2_FORM}');
    expect(secrets.get('API_AREA_A2_FORM')).toBe(isMasked ? undefined : params);
  });

  it('knows every field of the interface', async () => {
    answers = older;
    expect(reasonsOf(await read('/v1/project/p1')).filter((reason) => reason.includes('does not know'))).toEqual([]);
    const names = (of: string): readonly string[] =>
      Object.keys(apiImporter.settings).flatMap((name) => (name.startsWith(`${of}.`) ? [name.slice(of.length + 1)] : []));
    expect(names('project')).toEqual(expect.arrayContaining(Object.keys(project)));
    expect(names('area')).toEqual(expect.arrayContaining(areas.flatMap((area) => Object.keys(area))));
    expect(names('test')).toEqual(expect.arrayContaining(tests.flatMap((test) => Object.keys(test))));
  });

  it.each<[string, string, string, string]>([
    ['without a token', '/v1', '', 'SOURCE_TOKEN: is not set'],
    ['with a wrong token', '/v1', 'wrong', 'answers 401 {"message":"log in"}'],
    ['without a list', '/v1', 'secret-token', 'lists no projects; name one by an address that ends in /project/ID'],
    ['of a project that it lacks', '/v1/project/none', 'secret-token', '/v1/project/none: answers 404'],
  ])('ends in words %s', async (_, path, token, message) => {
    answers = older;
    await expect(read(path, token)).rejects.toThrow(message);
  });

  it('refuses an address that is none', async () => {
    await expect(imported('api', 'shop', { SOURCE_TOKEN: 'x' })).rejects.toThrow('shop: is not an http or https address');
  });
});
