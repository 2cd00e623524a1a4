import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TokenScope, tokenScopes } from '../../../src/accounts/token-scopes.ts';
import { apiRights } from '../../../src/app/api-rights.ts';
import { scopeOf } from '../../../src/accounts/rights/scopes.ts';
import { ApiClient } from '../../support/api-client.ts';
import { errorBody, withoutRequestId } from '../../support/error-body.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { ADMIN, type TestService } from '../../support/service.ts';
import { sharedService, startBesideShared } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';
import { isRelease } from '../../support/thorough.ts';

let service: TestService;
/** Daily the same: `account` and `console-sessions` show that tokens and sessions end on every instance. */
let other: TestService;
let people: TestAccounts;
let owner: TestAccount;
let projectId: string;
let otherProjectId: string;
let foreignProjectId: string;

beforeAll(async () => {
  service = await sharedService();
  other = isRelease ? await startBesideShared() : service;
  people = new TestAccounts(service);
  owner = await people.register('owner');
  const stranger = await people.register('stranger');
  [projectId, otherProjectId] = [await people.project(owner), await people.project(owner)];
  foreignProjectId = await people.project(stranger);
});
afterAll(async () => {
  if (other !== service) await other.stop();
  await people.deleteProjects();
});

interface Made {
  readonly api: ApiClient;
  readonly tid: string;
}

async function made(limits: object, by: ApiClient = owner.api): Promise<Made> {
  const { status, text, body } = await by.post('/account/tokens', { name: 'narrowed', ...limits });
  if (status !== 200) throw new Error(`a token was answered ${String(status)} ${text}`);
  return { api: people.anonymous.as(body.token as string), tid: body.tid as string };
}

const lacks = (scope: TokenScope) => ({ ...errorBody(403, expect.stringContaining(`\`${scope}\``)), errorCode: 'SCOPE_MISSING', scope });

/** A path of the project; ids of other objects are those of none. */
const pathOf = (operation: string, project: string): string => {
  const path = (operation.split(' ')[1] ?? '').replace(/^\/project\/:\w+/, `/project/${project}`);
  const filled = path.replace(/:\w+/g, () => randomBytes(12).toString('hex')).replace(/\*.*$/, '000');
  const query = /^\/tests?$/.test(path) ? `?projectId=${project}` : path.endsWith('/live') ? '?lastEventId=none' : '';
  return filled + query;
};

const guarded = Object.entries(apiRights).flatMap(([operation, right]) => {
  const scope = scopeOf(right);
  return scope === null ? [] : [{ operation, scope }];
});
const send = (api: ApiClient, operation: string, project: string) => {
  const [method = ''] = operation.split(' ');
  return api.send(method, pathOf(operation, project), method === 'GET' ? undefined : {});
};

describe('every operation of the API', () => {
  it('is refused to a token without its scope, which the refusal names', async () => {
    for (const scope of tokenScopes) {
      const { api } = await made({ scopes: tokenScopes.filter((one) => one !== scope) });
      for (const { operation } of guarded.filter((one) => one.scope === scope)) {
        const { status, body } = await send(api, operation, projectId);
        expect([operation, status, body]).toEqual([operation, 403, lacks(scope)]);
      }
    }
  });

  it('is open to a token with its scope alone', async () => {
    const tokens = new Map<TokenScope, ApiClient>();
    for (const scope of tokenScopes) tokens.set(scope, (await made({ scopes: [scope] })).api);
    for (const { operation, scope } of guarded) {
      // It would end the project of the others.
      if (operation === 'DELETE /project/:id') continue;
      // Through a destination events leave, which needs the scope of the feed, too (docs/spec/beyond.md#B25).
      if (/^(POST|PUT|PATCH) .*\/destinations/.test(operation)) continue;
      const { body } = await send(tokens.get(scope) ?? owner.api, operation, projectId);
      expect([operation, (body as { errorCode?: string } | null)?.errorCode]).not.toEqual([operation, 'SCOPE_MISSING']);
    }
  });

  it('is promised to a token by the permissions only as far as its scopes reach', async () => {
    const { api } = await made({ scopes: ['read', 'run'] });
    const { body: permissions } = await api.get(`/project/${projectId}/permissions`);
    expect(Object.entries(permissions).flatMap(([name, may]) => (may === true ? [name] : []))).toEqual(['read', 'run', 'apiKey']);
    expect((await api.get(`/project/${projectId}`)).body.permissions).toEqual(permissions);
    const { body: whole } = await owner.api.get(`/project/${projectId}/permissions`);
    expect(whole).toMatchObject({ edit: true, editTest: true, editTests: true, manageUsers: true, leave: false });
  });

  it('of the token itself needs no scope', async () => {
    const { api, tid } = await made({ scopes: ['run'] });
    expect((await api.get('/authenticate')).body).toMatchObject({ id: owner.userId, tid });
    expect((await api.delete('/authenticate')).status).toBe(200);
    await until(async () => (await api.get('/authenticate')).status === 401, 5_000, 'the end of the token');
  });
});

describe('a token of certain projects', () => {
  it('finds no other project: by id as an unknown one, and in no list', async () => {
    const { api } = await made({ projects: [projectId] });
    const unknown = randomBytes(12).toString('hex');
    for (const [operation, right] of Object.entries(apiRights)) {
      if (right.kind !== 'project' || !/^\w+ \/project\/:/.test(operation)) continue;
      const [found, missing] = [await send(api, operation, otherProjectId), await send(api, operation, unknown)];
      expect([operation, found.status, withoutRequestId(found)]).toEqual([operation, right.unknown, withoutRequestId(missing)]);
    }
    const area = (await owner.api.post(`/project/${otherProjectId}/areas`, { name: 'Group' })).body.id as string;
    const test = (await owner.api.post(`/project/${otherProjectId}/tests`, { url: '/', areaId: area })).body.id as string;
    for (const path of [`/area/${area}`, `/test/${test}`, `/tests/${test}`, `/test/${test}/results`]) {
      expect([path, (await api.get(path)).status]).toEqual([path, 403]);
      expect([path, (await owner.api.get(path)).status]).toEqual([path, 200]);
    }
    const listed = async (client: ApiClient, query = '') =>
      ((await client.get(`/projects${query}`)).body.projects as { id: string }[]).map(({ id }) => id);
    expect(await listed(api)).toEqual([projectId]);
    expect(await listed(api, '?sort=title&search=e')).toEqual([projectId]);
    expect(await listed(api, `?asOf=${new Date().toISOString()}`)).toEqual([projectId]);
    expect((await listed(owner.api)).toSorted()).toEqual([projectId, otherProjectId].toSorted());
    expect((await api.get('/account')).body).toEqual(lacks('account'));
    expect((await api.post('/project/create', { url: 'https://example.com' })).body).toEqual(lacks('create'));
  });

  it('is not made for a project that its owner may not read, without a word on whether it exists', async () => {
    const refusals = [];
    for (const id of [foreignProjectId, randomBytes(12).toString('hex')]) {
      const { status, body } = await owner.api.post('/account/tokens', { name: 'x', projects: [projectId, id] });
      refusals.push({ ...body, requestId: null });
      expect([status, body.param]).toEqual([400, 'projects.1']);
    }
    expect(refusals[0]).toEqual(refusals[1]);
  });

  it('loses what its owner loses', async () => {
    const member = await people.register('member');
    await people.join(projectId, owner, member, '5');
    const { api } = await made({ scopes: ['read', 'editTests'], projects: [projectId] }, member.api);
    expect((await api.post(`/project/${projectId}/areas`, { name: 'Mine' })).status).toBe(200);
    await owner.api.put(`/project/${projectId}/users/${String(member.userId)}`, { role: '6' });
    expect((await api.post(`/project/${projectId}/areas`, { name: 'Mine' })).status).toBe(403);
    expect((await api.get(`/project/${projectId}`)).status).toBe(200);
    await owner.api.delete(`/project/${projectId}/users`, { users: [member.userId] });
    expect((await api.get(`/project/${projectId}`)).status).toBe(403);
    expect((await api.get('/projects')).body.projects).toEqual([]);
  });
});

describe('a token of certain networks', () => {
  const from = ({ api }: Made, forwarded: string) => api.with({ 'x-forwarded-for': forwarded }).get('/authenticate');

  it('is refused elsewhere, also with a forged X-Forwarded-For, and not counted as a use', async () => {
    const token = await made({ addresses: ['192.0.2.0/24', '2001:db8::/32', '::ffff:198.51.100.0/120'] });
    for (const address of ['203.0.113.7', '192.0.2.9, 203.0.113.7', '2001:db9::1', '::192.0.2.9', 'unknown', '192.0.2.9:80'])
      expect([address, (await from(token, address)).body]).toEqual([
        address,
        { ...errorBody(403, expect.stringContaining('may not be used from')), errorCode: 'TOKEN_ADDRESS_REFUSED' },
      ]);
    expect((await token.api.get('/authenticate')).status).toBe(403);
    const entry = async () => ((await owner.api.get('/account/tokens')).body as { tid: string }[]).find(({ tid }) => tid === token.tid);
    expect(await entry()).toMatchObject({ lastUsedAt: null, lastUsedFrom: null });
    for (const address of ['192.0.2.9', '::ffff:192.0.2.9', '203.0.113.7, 192.0.2.9', '2001:db8::1', '198.51.100.9'])
      expect([address, (await from(token, address)).status]).toEqual([address, 200]);
    await until(
      async () => ((await entry()) as { lastUsedFrom?: string | null } | undefined)?.lastUsedFrom !== null,
      5_000,
      'the last use',
    );
    expect(await entry()).toMatchObject({
      ...{ lastUsedAt: expect.any(String), lastUsedFrom: '192.0.2.9', scopes: null, projects: null },
      addresses: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.0/24'],
    });
  });

  it('is not made for what is no network', async () => {
    for (const addresses of [[], ['10.0.0.1/8'], ['10.0.0.0/33'], ['localhost'], ['::ffff:0:0/95'], [7], '10.0.0.0/8', ['fe80::1%eth0']])
      expect((await owner.api.post('/account/tokens', { name: 'x', addresses })).status).toBe(400);
    const { rows } = await service.database.pool.query<{ data: string }>(`SELECT data::text FROM log WHERE type = 'TokenIssued'`);
    expect(rows.filter(({ data }) => data.includes('192.0.2'))).toEqual([]);
  });
});

describe('a narrowed token', () => {
  it('makes no token that is wider than itself', async () => {
    const limits = { scopes: ['account', 'read'], addresses: ['127.0.0.0/8'], exp: '+1 day' };
    const { api } = await made(limits);
    const make = (wanted: object) => api.post('/account/tokens', { name: 'child', password: PASSWORD, ...wanted });
    expect((await api.post('/account/tokens', { name: 'child' })).status).toBe(403);
    expect((await make({ scopes: ['read', 'edit'] })).body).toEqual(lacks('edit'));
    for (const wanted of [{ addresses: ['127.0.0.0/7'] }, { addresses: ['0.0.0.0/0'] }, { exp: '+2 days' }])
      expect((await make(wanted)).body).toMatchObject({ errorCode: expect.stringMatching(/^(TOKEN_TOO_WIDE|INVALID_INPUT)$/) });
    const [whole, less] = [await make({}), await make({ scopes: ['read'], addresses: ['127.0.0.1'], exp: '+1 hour' })];
    expect(whole.body).toMatchObject({ scopes: ['account', 'read'], addresses: ['127.0.0.0/8'] });
    expect(Date.parse(whole.body.expiresAt as string)).toBeLessThanOrEqual(Date.now() + 86_400_000);
    expect(less.body).toMatchObject({ scopes: ['read'], addresses: ['127.0.0.1/32'] });
    const child = people.anonymous.as(whole.body.token as string);
    expect((await child.put(`/project/${projectId}`, { title: 'Mine' })).body).toEqual(lacks('edit'));
    const batch = await Promise.all(Array.from({ length: 5 }, () => make({ scopes: tokenScopes })));
    expect(new Set(batch.map(({ status }) => status))).toEqual(new Set([403]));
  });

  it('gets no answer that a wider token got for the same Idempotency-Key', async () => {
    const keyed = { 'idempotency-key': randomBytes(8).toString('hex') };
    const body = { name: 'full', password: PASSWORD };
    const full = await owner.api.with(keyed).post('/account/tokens', body);
    const { api } = await made({ scopes: ['account'] });
    const replayed = await api.with(keyed).post('/account/tokens', body);
    expect(replayed.body.token).not.toBe(full.body.token);
    expect(replayed.body.scopes).toEqual(['account']);
  });

  it('grants no right that it lacks', async () => {
    const accomplice = await people.register('accomplice');
    await people.join(projectId, owner, accomplice, '6');
    const { api } = await made({ scopes: ['read', 'manageUsers', 'member', 'export', 'feed'] });
    const id = String(accomplice.userId);
    for (const role of ['4', '5']) {
      expect((await api.put(`/project/${projectId}/users/${id}`, { role })).body).toEqual(lacks('run'));
      expect((await api.post(`/project/${projectId}/users`, { email: 'x@example.test', role })).body).toEqual(lacks('run'));
    }
    expect((await api.put(`/project/${projectId}/users/${id}`, { role: '6' })).status).toBe(200);
    const { api: leaver } = await made({ scopes: ['member'] });
    expect((await leaver.delete(`/project/${projectId}/users`, { users: [accomplice.userId] })).body).toEqual(lacks('manageUsers'));
    const admin = await people.admin();
    const { api: ofAdmin } = await made({ scopes: ['systemAdmin'] }, admin.api);
    expect((await ofAdmin.put(`/accounts/${id}`, { systemRole: 'auditor', password: ADMIN.password })).body).toMatchObject({
      errorCode: 'SCOPE_MISSING',
    });
  });

  it('ends with its end and with its revocation on every instance, also as a stream', async () => {
    const { api, tid } = await made({ scopes: ['feed'], projects: [projectId] });
    const beside = new ApiClient(other.url, api.token);
    expect((await beside.get(`/project/${otherProjectId}/live?lastEventId=none`)).status).toBe(403);
    const stream = await fetch(`${other.url}/api/project/${projectId}/live`, { headers: { authorization: `Bearer ${api.token ?? ''}` } });
    expect(stream.status).toBe(200);
    const brief = await made({ scopes: ['read'], exp: '+1 second' });
    expect((await owner.api.delete(`/account/tokens/${tid}`)).status).toBe(200);
    await stream.text();
    for (const client of [api, beside, brief.api])
      await until(async () => (await client.get('/authenticate')).status === 401, 5_000, 'the end of a token');
  });

  it('is proposed by what a wide token needed, and does the same', async () => {
    const { api, tid } = await made({});
    expect((await owner.api.get(`/account/tokens/${tid}/usage`)).body).toMatchObject({ used: [], smallest: [], wouldRefuse: tokenScopes });
    const accomplice = await people.register('accomplice');
    await people.join(projectId, owner, accomplice, '6');
    const act = (client: ApiClient) =>
      Promise.all([
        client.get(`/project/${projectId}`),
        client.get('/projects'),
        client.put(`/project/${projectId}/users/${String(accomplice.userId)}`, { role: '6' }),
      ]);
    const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);
    expect(statuses(await act(api))).toEqual([200, 200, 200]);
    // Refused, so not used.
    expect((await api.get(`/project/${foreignProjectId}/history/export`)).status).toBe(403);
    expect((await api.get('/history')).status).toBe(403);
    const { body } = await owner.api.get(`/account/tokens/${tid}/usage`);
    const smallest = ['read', 'manageUsers', 'member', 'export', 'feed'];
    expect(body).toEqual({
      ...{ tid, since: expect.any(String), smallest },
      used: smallest.map((scope) => ({ scope, days: 1, lastDay: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) })),
      wouldRefuse: tokenScopes.filter((scope) => !smallest.includes(scope)),
    });
    expect(statuses(await act((await made({ scopes: body.smallest })).api))).toEqual([200, 200, 200]);
    const { api: stranger } = await people.register('stranger');
    expect((await stranger.get(`/account/tokens/${tid}/usage`)).status).toBe(404);
    expect((await owner.api.get('/account/tokens/nothing/usage')).status).toBe(404);
  });

  it('is refused in another shape than the description says', async () => {
    for (const wanted of [{ scopes: [] }, { scopes: ['everything'] }, { scopes: 'read' }, { projects: [] }, { projects: ['x'] }])
      expect((await owner.api.post('/account/tokens', { name: 'x', ...wanted })).status).toBe(400);
    const { body } = await owner.api.post('/account/tokens', { name: 'x', scopes: ['read', 'account'], projects: [projectId] });
    expect(body).toMatchObject({ errorCode: 'INVALID_INPUT', message: expect.stringContaining('"account"') });
  });
});
