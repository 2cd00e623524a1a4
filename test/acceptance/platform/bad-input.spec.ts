import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { invalidInput } from '../../support/error-body.ts';

let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let projectId: string;
beforeAll(async () => {
  service = await sharedService();
  people = new TestAccounts(service);
  owner = await people.register();
  projectId = await people.project(owner);
});
afterAll(() => people.deleteProjects());

const NUL = '\u0000';
const LONE = '\ud800';
/** Beyond every field, within the limit of the body. */
const tooLong = ({ isAnonymous }: Case): string => 'x'.repeat(isAnonymous === true ? 15_000 : 900_000);

/** A 400 that names the field and no internals. */
function refuses(answer: Answer, field: string): void {
  expect([answer.status, answer.body]).toEqual([400, invalidInput(expect.stringContaining(field))]);
  expect(answer.body.message.length).toBeLessThan(1_000);
  expect(answer.text).not.toMatch(/node_modules|\.ts|\.js:|SELECT|INSERT|at Object/);
}

interface Case {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: () => string;
  readonly good: Readonly<Record<string, unknown>>;
  readonly fields: readonly string[];
  readonly isAnonymous?: true;
}

/** Every body with text fields, as it would be accepted. */
const bodies: Readonly<Record<string, Case>> = {
  authenticate: {
    method: 'POST',
    path: () => '/authenticate',
    good: { email: 'a@example.test', password: PASSWORD },
    fields: ['email', 'password'],
    isAnonymous: true,
  },
  register: {
    method: 'POST',
    path: () => '/account/register',
    good: { email: 'b@example.test', password: PASSWORD, name: 'b' },
    fields: ['email', 'password', 'name'],
    isAnonymous: true,
  },
  confirm: {
    method: 'POST',
    path: () => '/account/confirm',
    good: { token: 'x', password: PASSWORD },
    fields: ['token', 'password'],
    isAnonymous: true,
  },
  reset: {
    method: 'POST',
    path: () => '/account/password/reset',
    good: { token: 'x', password: PASSWORD },
    fields: ['token', 'password'],
    isAnonymous: true,
  },
  account: {
    method: 'PUT',
    path: () => '/account',
    good: { name: 'x', phone: '1', timezone: 'UTC', notificationEmail: 'x@example.test', reportPeriod: 'week' },
    fields: ['name', 'phone', 'timezone', 'notificationEmail', 'reportPeriod'],
  },
  password: { method: 'POST', path: () => '/account/password', good: { current: PASSWORD, new: PASSWORD }, fields: ['current', 'new'] },
  token: { method: 'POST', path: () => '/account/tokens', good: { name: 'x', exp: '+1 hour' }, fields: ['name', 'exp'] },
  user: {
    method: 'POST',
    path: () => `/project/${projectId}/users`,
    good: { email: 'c@example.test', role: '6' },
    fields: ['email', 'role'],
  },
  settings: { method: 'PUT', path: () => `/project/${projectId}`, good: { title: 'x', location: 'eu' }, fields: ['title', 'location'] },
  test: {
    method: 'POST',
    path: () => `/project/${projectId}/tests`,
    good: { url: '/', name: 'x', notice: 'x', type: 'simple', templateId: 'x', areaId: 'a'.repeat(24) },
    fields: ['name', 'notice', 'type', 'templateId', 'areaId'],
  },
  group: { method: 'POST', path: () => `/project/${projectId}/areas`, good: { name: 'x' }, fields: ['name'] },
  maintenance: {
    method: 'POST',
    path: () => `/project/${projectId}/maintenance`,
    good: { from: '2099-01-01T00:00:00Z', to: '2099-01-02T00:00:00Z', note: 'x', repeat: 'daily' },
    fields: ['from', 'to', 'note', 'repeat'],
  },
};
const send = ({ method, path, isAnonymous }: Case, body: unknown): Promise<Answer> =>
  (isAnonymous === true ? people.anonymous : owner.api).send(method, path(), body);

describe('text fields', () => {
  const cases = Object.entries(bodies).flatMap(([name, given]) => given.fields.map((field) => [name, field, given] as const));

  it.each(cases)('%s.%s refuses non-text, oversized and hostile values', async (_, field, given) => {
    for (const value of [['text'], { $ne: null }, 12.5, true, tooLong(given)])
      refuses(await send(given, { ...given.good, [field]: value }), field);
    if (field === 'password' || field === 'current' || field === 'new') return;
    for (const value of [`a${NUL}b@example.test`, `a${LONE}b@example.test`])
      refuses(await send(given, { ...given.good, [field]: value }), field);
  });

  it('refuses rule values that cannot be stored or displayed', async () => {
    for (const [field, value] of [
      ['val', `a${NUL}`],
      ['origin', `a${NUL}`],
      ['templateId', LONE],
    ] as const) {
      const rule = { type: 'text', op: 'sub', val: 'x', [field]: value };
      refuses(await owner.api.post(`/project/${projectId}/tests`, { url: '/', rules: [rule] }), field);
    }
  });

  it.each(Object.entries(bodies))('%s names an unknown field', async (_, given) => {
    refuses(await send(given, { ...given.good, somethingElse: 1 }), 'somethingElse');
  });

  it.each(Object.entries(bodies))('%s refuses field names of Object.prototype', async (_, given) => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) refuses(await send(given, { ...given.good, [name]: 1 }), name);
  });

  it.each(Object.entries(bodies))('%s ignores __proto__ in a body', async (_, given) => {
    const raw = `{"__proto__":{"systemRole":"admin"},${JSON.stringify(given.good).slice(1)}`;
    const answer = await (given.isAnonymous === true ? people.anonymous : owner.api).raw(given.method, given.path(), raw);
    expect(answer.status).toBe(400);
    expect(((await owner.api.get('/account')).body as { systemRole: unknown }).systemRole).toBeNull();
  });

  it.each(Object.entries(bodies))('%s refuses a body that is not an object', async (_, given) => {
    for (const body of [[], [given.good], 'text', 12, null]) expect([body, (await send(given, body)).status]).toEqual([body, 400]);
  });
});

describe('request bodies', () => {
  it('accepts JSON of at most 1 MiB, 16 KiB without a token', async () => {
    const api = owner.api;
    const bad = await api.raw('PUT', '/account', '{"name":');
    expect([bad.status, bad.body]).toEqual([400, invalidInput()]);
    const large = await api.raw('PUT', '/account', JSON.stringify({ name: 'x'.repeat(1024 * 1024) }));
    expect([large.status, large.body.code]).toEqual([413, 413]);
    const anonymous = await people.anonymous.raw('POST', '/authenticate', JSON.stringify({ email: 'x'.repeat(16 * 1024), password: 'x' }));
    expect([anonymous.status, anonymous.body.code]).toEqual([413, 413]);
    const form = await api.with({ 'content-type': 'application/x-www-form-urlencoded' }).raw('PUT', '/account', 'name=x');
    expect([form.status, form.body.code]).toEqual([415, 415]);
  });

  it('are at most 16 KiB for every operation that needs no token, also from accounts, and for every request without one', async () => {
    const { paths } = (await people.anonymous.get('/openapi.json')).body as {
      paths: Readonly<Record<string, Readonly<Record<string, { readonly security: readonly object[]; readonly servers?: object }>>>>;
    };
    const operations = Object.entries(paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { security, servers }]) => ({ path, method, isPublic: security.length === 0, servers })),
      )
      // A request of the others has no body.
      .filter(({ method, servers }) => method !== 'get' && servers === undefined);
    const answered = async ({ path, method }: (typeof operations)[number], bytes: number, token: string | null): Promise<number> => {
      const headers = { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
      const body = JSON.stringify({ x: 'x'.repeat(bytes - 8) });
      const url = `${service.url}/api${path.replace(/\{[^}]+\}/g, '1')}`;
      return (await fetch(url, { method: method.toUpperCase(), headers, body })).status;
    };
    const open = operations.filter(({ isPublic }) => isPublic);
    expect(open.length).toBeGreaterThan(5);
    for (const operation of open) {
      const statuses = [await answered(operation, 16_384, null), await answered(operation, 16_385, null)];
      expect([operation, statuses[0] === 413, statuses[1]]).toEqual([operation, false, 413]);
      expect([operation, await answered(operation, 16_385, owner.api.token)]).toEqual([operation, 413]);
    }
    for (const operation of operations.filter(({ isPublic }) => !isPublic))
      expect([operation, await answered(operation, 16_385, null)]).toEqual([operation, 401]);
  });

  it.each(['array', 'object'])('refuses a hundred thousand nested levels: %s', async (kind) => {
    const [open, close] = kind === 'array' ? ['[', ']'] : ['{"a":', '}'];
    const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    for (const body of [deep, `{"name":${deep}}`]) refuses(await owner.api.raw('PUT', '/account', body), 'levels');
    const suggestions = `${'['.repeat(98)}1${']'.repeat(98)}`;
    const made = await owner.api.raw(
      'POST',
      '/project/create',
      `{"url":"https://example.com","checkInterval":"false","aiSuggestions":${suggestions}}`,
    );
    expect(made.status).toBe(200);
  });

  it('refuses a body of very many names within milliseconds, naming few of them', async () => {
    const names = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${String(n)}`, 1])));
    const send = (api: typeof owner.api, count: number) => api.raw('PUT', '/account', names(count));
    const { status, body } = await send(owner.api, 150);
    expect([status, body.message.split(';').length, body.message]).toEqual([400, 21, expect.stringMatching(/; and 130 more problems$/)]);
    refuses(await send(owner.api, 60_000), 'more than 5000 names');
    expect((await send(people.anonymous, 60_000)).status).toBe(401);
    refuses(await people.anonymous.raw('POST', '/authenticate', names(1_000)), 'more than 200 names');
  });

  it('refuses bodies that are not UTF-8', async () => {
    const latin1 = Buffer.from('{"name":"Zoë"}', 'latin1');
    const headers = { authorization: `Bearer ${owner.api.token ?? ''}`, 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}/api/account`, { method: 'PUT', headers, body: latin1 });
    expect([answer.status, await answer.json()]).toEqual([400, invalidInput('The body is not valid UTF-8.')]);
  });

  it('applies the last of two equal names, as JSON does', async () => {
    const answer = await owner.api.raw('PUT', '/account', '{"name":"first","name":"second"}');
    expect(answer.body.name).toBe('second');
  });
});

describe('users to remove', () => {
  it.each([
    undefined,
    null,
    'x',
    {},
    [],
    [1.5],
    ['1.5'],
    ['x'],
    [null],
    [-1],
    [0],
    [[1]],
    [2 ** 40],
    Array.from({ length: 1001 }, (_, n) => n + 1),
  ])('refuses %j', async (users) => {
    refuses(await owner.api.delete(`/project/${projectId}/users`, { users }), 'users');
  });

  it('requires the users in the body', async () => {
    expect((await owner.api.delete(`/project/${projectId}/users`)).status).toBe(400);
  });
});

describe('ids in paths', () => {
  it.each(['x', '__proto__', 'constructor', '%00', '..%2f..%2fetc', "1'%20OR%20'1'='1", 'F'.repeat(24)])(
    'answers for %s as for any unknown id',
    async (id) => {
      expect((await owner.api.get(`/project/${id}`)).status).toBe(404);
      expect((await owner.api.get(`/project/${id}/users`)).status).not.toBe(200);
      expect((await owner.api.get(`/test/${id}`)).status).not.toBe(200);
    },
  );

  it.each(['%00', 'x', '0'.repeat(24), '%ff', 'a'.repeat(301)])('answers for a nested id as for any unknown id: %s', async (id) => {
    const answers = await Promise.all([
      owner.api.get(`/project/${projectId}/start/area/${id}`),
      owner.api.put(`/project/${projectId}/users/${id}`, { role: '6' }),
      owner.api.delete(`/project/${projectId}/maintenance/${id}`),
      owner.api.get(`/project/${projectId}/history/${id}/chain`),
      owner.api.get(`/project/${projectId}/history/${id}/proof`),
      owner.api.delete(`/account/tokens/${id}`),
      owner.api.delete(`/account/channels/${id}`),
      owner.api.post(`/account/deliveries/${id}/retry`),
    ]);
    for (const { status, body } of answers) {
      expect([400, 404]).toContain(status);
      expect(body).toMatchObject({ code: status, ok: false, error: true });
    }
    // The interface lists no 404 there.
    const results = await owner.api.get(`/project/${projectId}/job/${id}/results`);
    expect(results.body).toMatchObject({
      code: /^[0-9a-z]+$/.test(id) && id.length < 301 ? 403 : expect.any(Number),
      ok: false,
      error: true,
    });
  });

  it('answers for an id in a body or query as for any unknown id', async () => {
    const answers = await Promise.all([
      owner.api.post(`/project/${projectId}/try`, { url: '/', areaId: NUL }),
      owner.api.post(`/project/${projectId}/tests`, { url: '/', areaId: NUL }),
      owner.api.post(`/project/${projectId}/tests?areaId=%00`, { url: '/' }),
      owner.api.delete(`/project/${projectId}/maintenance?id=%00`),
      owner.api.get(`/project/${projectId}/start?tests=%00`),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status !== 400 && status !== 404)).toEqual([]);
  });
});

describe('cursor positions', () => {
  const cursor = (place: object): string => Buffer.from(JSON.stringify(place)).toString('base64url');

  it.each([0.5, 1e300])('refuses an impossible position: %d', async (at) => {
    refuses(await owner.api.get(`/project/${projectId}/jobs?cursor=${cursor({ key: 'x', value: at })}`), 'cursor');
    refuses(await (await people.admin()).api.get(`/accounts?cursor=${cursor({ after: at })}`), 'cursor');
  });
});
