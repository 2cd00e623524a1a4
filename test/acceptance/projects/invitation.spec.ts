import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, type Json } from '../../support/api-client.ts';
import type { TestMailServer } from '../../support/servers/mail.ts';
import type { TestService } from '../../support/service.ts';
import { sharedMail, sharedService, startBesideShared } from '../../support/shared-service.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';
import { isRelease } from '../../support/thorough.ts';

let mail: TestMailServer;
let service: TestService;
/** Daily the same: `account` and `console-sessions` show that tokens and sessions end on every instance. */
let other: TestService;
let people: TestAccounts;
let owner: TestAccount;
let guest: TestAccount;
let projectId: string;
beforeAll(async () => {
  mail = await sharedMail();
  service = await sharedService();
  other = isRelease ? await startBesideShared() : service;
  people = new TestAccounts(service);
  [owner, guest] = [await people.register('owner'), await people.register('guest')];
  projectId = await people.project(owner);
  await owner.api.put(path(), { title: '<b>Shop</b>' });
  await people.join(projectId, owner, guest, '6');
});
afterAll(async () => {
  if (other !== service) await other.stop();
  await people.deleteProjects();
});

const done = { code: 200, ok: true, error: false };
const path = (rest = ''): string => `/project/${projectId}${rest}`;
const elsewhere = ({ api }: TestAccount): ApiClient => new ApiClient(other.url, api.token);
const invite = async (email: string, role = '5'): Promise<Json> => {
  const answer = await owner.api.post(path('/users'), { email, role });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body;
};
const pendingOf = async (by = owner): Promise<readonly Json[]> =>
  ((await by.api.get(path('/users'))).body as readonly Json[]).filter(({ pending }) => pending as boolean);
const invitationsOf = async ({ api }: TestAccount): Promise<readonly Json[]> => (await api.get('/account/invitations')).body;
const transfersOf = async ({ api }: TestAccount): Promise<readonly Json[]> => (await api.get('/account/transfers')).body;
const isMember = async ({ api }: TestAccount): Promise<boolean> => (await api.get(path())).status === 200;
/** The newest; others of the project are appended by its watches. */
const ofInvitations = async (limit: number): Promise<readonly Json[]> =>
  (
    await owner.api.get(
      path(`/history?limit=${String(limit)}&type=MemberInvited&type=InvitationAccepted&type=InvitationDeclined&type=MemberAdded`),
    )
  ).body.events;
/** The token in the newest invitation that was mailed to an address. */
const linkTo = async (email: string): Promise<string> => {
  const found = (): string => mail.to(email).findLast((text) => text.includes('/api/account/invitation?')) ?? '';
  await until(() => Promise.resolve(found() !== ''), 5_000, `an invitation to ${email}`);
  return /token=([\w-]+)/.exec(found())?.[1] ?? '';
};

describe('an invitation', () => {
  it('shows what was typed to those who manage users alone', async () => {
    const ada = await people.register('ada');
    const invited = await invite(ada.email, '5');
    expect(invited).toMatchObject({
      ...{ email: ada.email, name: ada.email.split('@')[0], phone: null, notificationEmail: null, apiKey: '', confirmed: false },
      ...{ pending: true, role: { id: '5' }, isPayer: false, canBeRemoved: true, timezone: 'UTC', reportPeriod: 'week' },
    });
    expect(Number(invited.id)).toBeGreaterThan(2 ** 30);
    expect((await pendingOf()).map(({ id }) => id as string)).toEqual([invited.id]);
    expect(await pendingOf(guest)).toEqual([]);
    expect((await owner.api.get(path())).body.userIds).not.toContain(ada.userId);
    expect(await isMember(ada)).toBe(false);
    const history = (await owner.api.get(path('/history'))).text;
    expect([history.includes(ada.email), history.includes(`"userId":${String(ada.userId)}`)]).toEqual([false, false]);
    await owner.api.delete(path('/users'), { users: [Number(invited.id)] });
  });

  it('is listed to its addressee with project and inviter, and makes a member when it is accepted, once', async () => {
    const ada = await people.register('ada');
    await invite(ada.email, '5');
    const [invitation] = await invitationsOf(ada);
    expect(invitation).toMatchObject({
      project: { id: projectId, title: '<b>Shop</b>', url: 'https://example.com' },
      role: { id: '5', name: 'Project developer' },
      invitedBy: { name: 'owner', email: owner.email },
    });
    const accept = (account: TestAccount) => account.api.post(`/account/invitations/${String(invitation.id)}/accept`);
    expect((await accept(guest)).status).toBe(404);
    expect((await accept(ada)).body).toEqual(done);
    expect((await accept(ada)).status).toBe(404);
    expect((await ada.api.get(path('/permissions'))).body).toMatchObject({ editTests: true, edit: false });
    expect([await pendingOf(), await invitationsOf(ada)]).toEqual([[], []]);
    const types = (await ofInvitations(3)).map(({ type }) => type as string);
    expect(types.toSorted()).toEqual(['InvitationAccepted', 'MemberAdded', 'MemberInvited']);
  });

  it('is declined without a word about who declined', async () => {
    const ada = await people.register('ada');
    await invite(ada.email);
    const [invitation] = await invitationsOf(ada);
    expect((await ada.api.post(`/account/invitations/${String(invitation.id)}/decline`)).body).toEqual(done);
    expect((await ada.api.post(`/account/invitations/${String(invitation.id)}/accept`)).status).toBe(404);
    const [event] = await ofInvitations(1);
    expect(event).toMatchObject({ type: 'InvitationDeclined', actor: { kind: 'reactor', id: 'invitations' } });
    expect(await pendingOf()).toEqual([]);
  });

  it('of the same address again replaces the role; both ways to change a role work before it is accepted', async () => {
    const ada = await people.register('ada');
    const first = await invite(ada.email, '5');
    const again = await invite(ada.email.toUpperCase(), '6');
    expect([again.id, again.role.id, (await pendingOf()).length]).toEqual([first.id, '6', 1]);
    expect((await owner.api.put(path(`/users/${String(first.id)}`), { role: '4' })).body).toMatchObject({
      pending: true,
      role: { id: '4' },
    });
    expect((await invitationsOf(ada))[0].role.id).toBe('4');
    expect((await owner.api.delete(path('/users'), { users: [Number(first.id)] })).body).toEqual(done);
    expect(await invitationsOf(ada)).toEqual([]);
    expect((await owner.api.delete(path('/users'), { users: [Number(first.id)] })).status).toBe(404);
  });

  it('is accepted or withdrawn, not both, also through two instances', async () => {
    for (let round = 0; round < 4; round++) {
      const ada = await people.register('ada');
      const { id } = await invite(ada.email);
      const [invitation] = await invitationsOf(ada);
      const [accepted, withdrawn] = await Promise.all([
        elsewhere(ada).post(`/account/invitations/${String(invitation.id)}/accept`),
        owner.api.delete(path('/users'), { users: [Number(id)] }),
      ]);
      expect([accepted.status, withdrawn.status].sort()).toEqual([200, 404]);
      expect(await isMember(ada)).toBe(accepted.status === 200);
      expect([await pendingOf(), await invitationsOf(ada)]).toEqual([[], []]);
    }
  });

  it('opens an account for an address without one, by the mailed link and a chosen password', async () => {
    const email = `new-${String(Date.now())}@example.test`;
    await invite(email, '6');
    const token = await linkTo(email);
    const text = mail.to(email).at(-1) ?? '';
    expect([text.includes(owner.email), text.includes('Shop'), text.includes('example.com/')]).toEqual([true, false, false]);
    const page = await people.anonymous.get(`/account/invitation?token=${token}`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const shown of [owner.email, '&lt;b&gt;Shop&lt;/b&gt;', 'https://example.com', 'type="password"'])
      expect(page.text).toContain(shown);
    expect((await people.anonymous.post('/account/invitation', { token })).status).toBe(400);
    expect((await people.anonymous.post('/account/invitation', { token, password: PASSWORD })).body).toEqual(done);
    expect((await people.anonymous.post('/account/invitation', { token, password: PASSWORD })).status).toBe(400);
    const api = await people.anonymous.signIn(email, PASSWORD);
    expect((await api.get('/account')).body).toMatchObject({ email, confirmed: true });
    expect((await api.get(path())).status).toBe(200);
  });

  it('is accepted by the link without a password where the address is confirmed', async () => {
    const ada = await people.register('ada');
    await invite(ada.email);
    const token = await linkTo(ada.email);
    expect((await people.anonymous.get(`/account/invitation?token=${token}`)).text).not.toContain('type="password"');
    expect((await people.anonymous.post('/account/invitation', { token })).body).toEqual(done);
    expect(await isMember(ada)).toBe(true);
    expect((await people.anonymous.get(`/account/invitation?token=${token}`)).text).toContain('not valid any more');
  });

  it('goes with the account of the addressee, with the project, and keeps no address', async () => {
    const [ada, bob] = [await people.register('ada'), await people.register('bob')];
    const second = await people.project(owner);
    await owner.api.post(`/project/${second}/users`, { email: ada.email, role: '6' });
    await owner.api.post(`/project/${second}/users`, { email: bob.email, role: '6' });
    expect((await ada.api.delete('/account')).status).toBe(200);
    expect(((await owner.api.get(`/project/${second}/users`)).body as readonly Json[]).map(({ email }) => email as string)).toEqual([
      owner.email,
      bob.email,
    ]);
    await owner.api.delete(`/project/${second}`);
    expect(await invitationsOf(bob)).toEqual([]);
    expect((await service.database.pool.query('SELECT FROM invitation WHERE project_id = $1', [second])).rowCount).toBe(0);
  });
});

describe('an offered project', () => {
  it('stays with its owner until the receiver accepts', async () => {
    const [to, id] = [await people.register('to'), await people.project(owner)];
    expect((await owner.api.post(`/project/${id}/transfer`, { userId: to.userId })).body).toEqual(done);
    expect((await owner.api.get(`/project/${id}`)).body.payerId).toBe(owner.userId);
    expect((await to.api.get(`/project/${id}`)).status).toBe(403);
    expect((await owner.api.get(`/project/${id}/transfer`)).body.transfer).toMatchObject({ userId: to.userId });
    const [offer] = await transfersOf(to);
    expect(offer).toMatchObject({ project: { id, url: 'https://example.com' }, offeredBy: { email: owner.email } });
    await linkTo(to.email);
    expect((await guest.api.post(`/account/transfers/${String(offer.id)}/accept`)).status).toBe(404);
    expect((await to.api.post(`/account/transfers/${String(offer.id)}/accept`)).body).toEqual(done);
    expect((await to.api.get(`/project/${id}`)).body.payerId).toBe(to.userId);
    expect((await to.api.get(`/project/${id}/transfer`)).body).toEqual({ transfer: null });
  });

  it('takes a slot of the receiver only when it is accepted', async () => {
    const [to, id] = [await people.register('to'), await people.project(owner)];
    await people.administer(to, { plan: 'free' });
    for (let n = 0; n < 3; n++) await people.give(await people.project(owner), owner, to);
    expect((await owner.api.post(`/project/${id}/transfer`, { userId: to.userId })).status).toBe(200);
    const [offer] = await transfersOf(to);
    const refused = await to.api.post(`/account/transfers/${String(offer.id)}/accept`);
    expect([refused.status, Object.keys(refused.body as object)]).toEqual([402, ['message']]);
    expect((await owner.api.get(`/project/${id}`)).body.payerId).toBe(owner.userId);
    await people.administer(to, { plan: 'unlimited' });
    expect((await to.api.post(`/account/transfers/${String(offer.id)}/accept`)).status).toBe(200);
  });

  it('is declined, withdrawn, or replaced by another offer', async () => {
    const [to, id] = [await people.register('to'), await people.project(owner)];
    const offer = () => owner.api.post(`/project/${id}/transfer`, { userId: to.userId });
    await offer();
    const [declined] = await transfersOf(to);
    expect((await to.api.post(`/account/transfers/${String(declined.id)}/decline`)).body).toEqual(done);
    await offer();
    expect((await owner.api.delete(`/project/${id}/transfer`)).body).toEqual(done);
    expect(await transfersOf(to)).toEqual([]);
    await offer();
    expect((await owner.api.post(`/project/${id}/transfer`, { userId: guest.userId })).body).toEqual(done);
    expect([(await transfersOf(to)).length, (await transfersOf(guest)).length]).toEqual([0, 1]);
  });
});
