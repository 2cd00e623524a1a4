import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiRights } from '../../../src/app/api-rights.ts';
import { scopeOf, serviceScopes } from '../../../src/accounts/rights/scopes.ts';
import { ApiClient } from '../../support/api-client.ts';
import { errorBody } from '../../support/error-body.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService, startBesideShared } from '../../support/shared-service.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';
import { isRelease } from '../../support/thorough.ts';

const UNKNOWN = 'f'.repeat(24);

let service: TestService;
/** Daily the same: `account` and `console-sessions` show that tokens and sessions end on every instance. */
let other: TestService;
let people: TestAccounts;
let owner: TestAccount;
let projectId: string;

beforeAll(async () => {
  service = await sharedService();
  other = isRelease ? await startBesideShared() : service;
  people = new TestAccounts(service);
  owner = await people.register('owner');
  projectId = await people.project(owner);
});
afterAll(async () => {
  if (other !== service) await other.stop();
  await people.deleteProjects();
});

const path = (...parts: readonly string[]): string => ['', 'project', projectId, 'service-accounts', ...parts].join('/');

interface Program {
  readonly sid: string;
  readonly tid: string;
  readonly api: ApiClient;
}

async function program(role: '4' | '5' | '6', limits: object = {}, by: ApiClient = owner.api): Promise<Program> {
  const sid = (await by.post(path(), { name: `program ${role}`, role })).body.id as string;
  const { status, text, body } = await by.post(path(sid, 'tokens'), { name: 'key', ...limits });
  if (status !== 200) throw new Error(`a token was answered ${String(status)} ${text}`);
  return { sid, tid: body.tid as string, api: people.anonymous.as(body.token as string) };
}

const ends = (...clients: readonly ApiClient[]): Promise<unknown> =>
  Promise.all(clients.map((client) => until(async () => (await client.get('/authenticate')).status === 401, 5_000, 'the end of a token')));

describe('a service account', () => {
  it('acts in its project with its role, and the history names it', async () => {
    const { sid, tid, api } = await program('4');
    expect((await api.get('/authenticate')).body).toMatchObject({ name: 'program 4', tid, serviceAccount: { id: sid, projectId } });
    expect((await api.put(`/project/${projectId}`, { title: 'By a program' })).status).toBe(200);
    const { body } = await owner.api.get(`/project/${projectId}/history?type=ProjectRenamed`);
    expect((body.events as { actor: object }[]).map(({ actor }) => actor)).toEqual([
      { kind: 'service', id: sid, name: 'program 4', tokenId: tid },
    ]);
    expect((await api.get('/projects')).body.projects).toMatchObject([{ id: projectId }]);
    const { body: permissions } = await api.get(`/project/${projectId}/permissions`);
    expect(permissions).toMatchObject({ edit: true, manageUsers: false, leave: false });
    expect((await api.get(`/project/${projectId}`)).body.permissions).toEqual(permissions);
    await until(async () => {
      const [token] = (await owner.api.get(path(sid, 'tokens'))).body as unknown as { lastUsedFrom: string | null }[];
      return token?.lastUsedFrom === '127.0.0.1';
    }, 5_000);
    const usage = (await owner.api.get(path(sid, 'tokens', tid, 'usage'))).body;
    expect(usage).toMatchObject({
      smallest: ['read', 'edit'],
      wouldRefuse: ['run', 'editTests', 'evidence', 'export', 'feed'],
    });
  });

  it('is refused every operation beyond its scopes, in every role', async () => {
    const scopes = { '4': serviceScopes, '5': ['read', 'run', 'editTests', 'export', 'feed', 'evidence'], '6': ['read', 'export', 'feed'] };
    for (const role of ['4', '5', '6'] as const) {
      const { api } = await program(role);
      for (const [operation, right] of Object.entries(apiRights)) {
        const scope = scopeOf(right);
        if (scope === null || (scopes[role] as readonly string[]).includes(scope)) continue;
        const [method = '', route = ''] = operation.split(' ');
        const target = route.replace(/^\/project\/:\w+/, `/project/${projectId}`).replace(/:\w+/g, UNKNOWN);
        const { status, body } = await api.send(method, target, method === 'GET' ? undefined : {});
        expect([role, operation, status, body]).toMatchObject([role, operation, 403, { errorCode: 'SCOPE_MISSING', scope }]);
      }
    }
  });

  it('makes no token, account, member or manager, and reads no other project', async () => {
    const { sid, api } = await program('4');
    const foreign = await people.project(await people.register('stranger'));
    const mine = await people.project(owner);
    for (const id of [foreign, mine, UNKNOWN]) expect((await api.get(`/project/${id}`)).status).toBe(404);
    for (const [target, body] of [
      [path(), { name: 'x', role: '6' }],
      [path(sid, 'tokens'), { name: 'x' }],
      ['/account/tokens', { name: 'x' }],
      [`/project/${projectId}/users`, { email: 'x@example.test', role: '4' }],
      [`/project/${projectId}/notifications`, { severity: 1 }],
    ] as const)
      expect([target, (await api.post(target, body)).body]).toMatchObject([target, { errorCode: 'SCOPE_MISSING' }]);
    expect((await api.send('PATCH', path(sid), { role: '4' })).body).toMatchObject({ errorCode: 'SCOPE_MISSING' });
    const { body } = await owner.api.get(`/project/${projectId}/users`);
    expect((body as unknown as { id: string }[]).map(({ id }) => id)).toEqual([String(owner.userId)]);
  });

  it('is unknown to people of other projects, and not managed by a developer', async () => {
    const { sid, tid } = await program('6');
    const [stranger, developer] = [await people.register('outsider'), await people.register('developer')];
    await people.join(projectId, owner, developer, '5');
    for (const { api } of [stranger, developer])
      for (const [method, target] of [
        ['GET', path()],
        ['POST', path()],
        ['GET', path(sid)],
        ['PATCH', path(sid)],
        ['DELETE', path(sid)],
        ['POST', path(sid, 'tokens')],
        ['DELETE', path(sid, 'tokens', tid)],
        ['GET', path(sid, 'tokens', tid, 'usage')],
      ] as const)
        expect([method, target, (await api.send(method, target, method === 'GET' ? undefined : {})).status]).toEqual([method, target, 403]);
    const elsewhere = await people.project(owner);
    expect((await owner.api.get(`/project/${elsewhere}/service-accounts/${sid}`)).status).toBe(404);
    expect((await owner.api.delete(`/project/${elsewhere}/service-accounts/${sid}/tokens/${tid}`)).status).toBe(404);
  });
});

describe('the people of a service account', () => {
  it('sign in again to raise its role, and give the password for that with an older token', async () => {
    const { sid } = await program('6');
    const token = (await owner.api.post('/account/tokens', { name: 'old', password: PASSWORD })).body.token as string;
    const old = owner.api.as(token);
    const patch = (body: object) => old.send('PATCH', path(sid), body);
    expect((await patch({ name: 'renamed' })).status).toBe(200);
    expect((await patch({ role: '4' })).body).toMatchObject({ code: 403, errorCode: 'RECENT_SIGN_IN_NEEDED' });
    expect((await patch({ role: '4', password: 'a wrong password' })).body).toMatchObject({ errorCode: 'PASSWORD_WRONG' });
    expect((await patch({ role: '4', password: PASSWORD })).body).toMatchObject({ name: 'renamed', role: '4' });
    expect((await patch({ role: '5' })).body).toMatchObject({ role: '5' });
    expect((await owner.api.send('PATCH', path(sid), { role: '4' })).body).toMatchObject({ role: '4' });
  });

  it('are removed with an answer that names what they leave behind', async () => {
    const [leaver, other] = [await people.register('leaver'), await people.register('other')];
    for (const one of [leaver, other]) await people.join(projectId, owner, one, '4');
    const { sid, tid } = await program('5', {}, leaver.api);
    const { sid: ofOwner } = await program('6');
    const known = (await leaver.api.post(path(ofOwner, 'tokens'), { name: 'known' })).body.tid as string;
    const revoked = (await leaver.api.post(path(ofOwner, 'tokens'), { name: 'revoked' })).body.tid as string;
    await leaver.api.delete(path(ofOwner, 'tokens', revoked));
    const done = { code: 200, ok: true, error: false };
    const { body } = await owner.api.delete(`/project/${projectId}/users`, { users: [leaver.userId] });
    const expiresAt = expect.any(String);
    expect(body).toEqual({
      ...done,
      serviceAccounts: [
        { id: sid, name: 'program 5', role: '5', tokens: [{ tid, name: 'key', expiresAt }] },
        { id: ofOwner, name: 'program 6', role: '6', tokens: [{ tid: known, name: 'known', expiresAt }] },
      ],
    });
    expect((await owner.api.delete(`/project/${projectId}/users`, { users: [other.userId] })).body).toEqual(done);
  });
});

describe('a service account of the installation', () => {
  const [base, foreign] = ['/service-accounts', UNKNOWN];
  let admin: TestAccount;
  beforeAll(async () => {
    admin = await people.admin();
  });

  const systemProgram = async (role: 'admin' | 'auditor', limits: object = {}): Promise<Program> => {
    const sid = (await admin.api.post(base, { name: `system ${role}`, role })).body.id as string;
    const { status, text, body } = await admin.api.post(`${base}/${sid}/tokens`, { name: 'key', ...limits });
    if (status !== 200) throw new Error(`a token was answered ${String(status)} ${text}`);
    return { sid, tid: body.tid as string, api: people.anonymous.as(body.token as string) };
  };

  it('reads what its system role reads, and the history names it', async () => {
    const { sid, tid, api } = await systemProgram('auditor');
    expect((await api.get('/authenticate')).body).toMatchObject({
      name: 'system auditor',
      tid,
      serviceAccount: { id: sid, projectId: null },
    });
    for (const target of [`/project/${projectId}`, '/history', '/events?limit=1', '/destinations', '/ops/projections'])
      expect([target, (await api.get(target)).status]).toEqual([target, 200]);
    expect((await api.put(`/project/${projectId}`, { title: 'x' })).body).toMatchObject({ errorCode: 'SCOPE_MISSING', scope: 'edit' });
    const { body } = await admin.api.get('/history?type=ServiceAccountCreated&limit=1');
    expect((body.events as { summary: string }[])[0]?.summary).toBe('Service account system auditor created as system auditor');
  });

  it('manages no accounts, service accounts or tokens, and reads no project as an administrator', async () => {
    const { sid, api } = await systemProgram('admin');
    for (const [operation, right] of Object.entries(apiRights)) {
      if (right.kind === 'public') continue;
      const scope = scopeOf(right);
      const isHeld = scope === null || ['feed', 'systemRead', 'systemAdmin'].includes(scope);
      if (isHeld && !(right.kind === 'system' && right.who === 'people')) continue;
      const [method = '', route = ''] = operation.split(' ');
      const target = route
        .replace(/^\/project\/:\w+/, `/project/${projectId}`)
        .replace(':sid', sid)
        .replace(/:\w+/g, UNKNOWN);
      const { status, body } = await api.send(method, target, method === 'GET' ? undefined : {});
      expect([operation, status, body.errorCode]).toEqual([operation, 403, isHeld ? 'FORBIDDEN' : 'SCOPE_MISSING']);
    }
    expect((await api.get(`/project/${projectId}/live`)).status).toBe(403);
    expect((await api.get('/ops/projections')).status).toBe(200);
  });

  it('is managed by administrators alone, and only as it was when they read it', async () => {
    const { sid } = await systemProgram('auditor');
    for (const [method, target] of [
      ['GET', base],
      ['POST', base],
      ['PATCH', `${base}/${sid}`],
      ['DELETE', `${base}/${sid}`],
      ['POST', `${base}/${sid}/tokens`],
    ] as const)
      expect([method, target, (await owner.api.send(method, target, method === 'GET' ? undefined : {})).status]).toEqual([
        method,
        target,
        403,
      ]);
    const narrow = people.anonymous.as(
      (await admin.api.post('/account/tokens', { name: 'n', scopes: ['systemAdmin'] })).body.token as string,
    );
    expect((await narrow.post(base, { name: 'x', role: 'auditor' })).body).toMatchObject({ errorCode: 'SCOPE_MISSING', scope: 'read' });
    const { headers } = await admin.api.get(`${base}/${sid}`);
    const knowing = admin.api.with({ 'if-match': headers.get('etag') ?? '' });
    expect((await knowing.patch(`${base}/${sid}`, { name: 'renamed' })).body).toMatchObject({ name: 'renamed' });
    const late = await knowing.patch(`${base}/${sid}`, { role: 'admin' });
    expect([late.status, late.body]).toMatchObject([412, { changes: [{ type: 'ServiceAccountRenamed' }] }]);
    expect((await admin.api.get(path(sid))).status).toBe(403);
    expect((await admin.api.get(`${base}/${foreign}`)).status).toBe(404);
  });

  it('follows the log with a narrowed token, and ends on every instance', async () => {
    const { sid, api } = await systemProgram('auditor', { scopes: ['feed', 'systemRead'], addresses: ['127.0.0.0/8'] });
    expect((await api.put('/subscriptions/all', { from: 'now' })).status).toBe(200);
    expect((await api.get(`/project/${projectId}`)).body).toMatchObject({ errorCode: 'SCOPE_MISSING', scope: 'read' });
    expect((await admin.api.delete(`${base}/${sid}`)).status).toBe(200);
    await ends(api, new ApiClient(other.url, api.token));
    expect((await admin.api.delete(`${base}/${sid}`)).status).toBe(404);
  });
});

describe('the token of a service account', () => {
  it('is narrowed, and never wider than its account or than the token that makes it', async () => {
    const { sid, api } = await program('5', { scopes: ['read'], addresses: ['127.0.0.0/8'] });
    expect((await api.post(`/project/${projectId}/areas`, { name: 'x' })).body).toMatchObject({ scope: 'editTests' });
    expect((await owner.api.post(path(sid, 'tokens'), { name: 'x', scopes: ['edit'] })).body).toMatchObject({ errorCode: 'INVALID_INPUT' });
    const limits = { name: 'x', scopes: ['manageUsers', 'read'], projects: [projectId], exp: '+1 month' };
    const narrow = people.anonymous.as((await owner.api.post('/account/tokens', limits)).body.token as string);
    const make = (wanted: object) => narrow.post(path(sid, 'tokens'), { name: 'x', password: PASSWORD, ...wanted });
    expect((await narrow.post(path(sid, 'tokens'), { name: 'x' })).body).toMatchObject({ errorCode: 'RECENT_SIGN_IN_NEEDED' });
    expect((await narrow.post(path(), { name: 'x', role: '5' })).body).toMatchObject({ errorCode: 'SCOPE_MISSING', scope: 'run' });
    expect((await narrow.send('PATCH', path(sid), { role: '4' })).body).toMatchObject({ errorCode: 'SCOPE_MISSING' });
    expect((await make({})).body).toMatchObject({ errorCode: 'SCOPE_MISSING', scope: 'run' });
    expect((await make({ scopes: ['read'], exp: '+2 months' })).body).toMatchObject({ errorCode: 'TOKEN_TOO_WIDE' });
    expect((await make({ scopes: ['read'] })).body).toMatchObject({ scopes: ['read'], addresses: null });
  });

  it('has less as soon as its account has a lower role', async () => {
    const { sid, api } = await program('5');
    const beside = new ApiClient(other.url, api.token);
    expect((await beside.post(`/project/${projectId}/areas`, { name: 'a' })).status).toBe(200);
    expect((await owner.api.send('PATCH', path(sid), { role: '6', name: 'less' })).body).toMatchObject({
      id: sid,
      role: '6',
      name: 'less',
    });
    expect((await api.post(`/project/${projectId}/areas`, { name: 'b' })).body).toMatchObject({ scope: 'editTests' });
    await until(async () => (await beside.post(`/project/${projectId}/areas`, { name: 'c' })).status === 403, 5_000);
  });

  it('ends on every instance, also as a stream: with its revocation, its account and its project, and by itself', async () => {
    const [revoked, gone, self] = [await program('6'), await program('6'), await program('6')];
    const follow = (api: ApiClient) =>
      fetch(`${other.url}/api/project/${projectId}/live`, { headers: { authorization: `Bearer ${api.token ?? ''}` } });
    const stream = await follow(gone.api);
    expect(stream.status).toBe(200);
    expect((await owner.api.delete(path(revoked.sid, 'tokens', revoked.tid))).status).toBe(200);
    expect((await owner.api.delete(path(gone.sid))).status).toBe(200);
    expect((await self.api.delete('/authenticate')).status).toBe(200);
    await stream.text();
    for (const { api } of [revoked, gone, self]) await ends(api, new ApiClient(other.url, api.token));
    expect((await owner.api.delete(path(gone.sid))).body).toMatchObject(errorBody(404, expect.any(String)));
  });

  it('outlives the person who made it, and ends with its project', async () => {
    const maker = await people.register('maker');
    await people.join(projectId, owner, maker, '4');
    const { sid, api } = await program('6', {}, maker.api);
    expect((await maker.api.delete('/account')).status).toBe(200);
    expect((await api.get(`/project/${projectId}`)).status).toBe(200);
    expect((await owner.api.get(path(sid))).body).toMatchObject({ id: sid, role: '6', tokens: 1 });
    expect((await owner.api.delete(`/project/${projectId}`)).status).toBe(200);
    await ends(api, new ApiClient(other.url, api.token));
  });

  it('is a forgery with the number of another account', async () => {
    expect((await people.anonymous.as('eyJhbGciOiJub25lIn0.eyJzdWIiOiItMSJ9.').get('/projects')).status).toBe(401);
  });
});
