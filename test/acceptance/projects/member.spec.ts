import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';
import { thorough } from '../../support/thorough.ts';

let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let admin: TestAccount;
let developer: TestAccount;
let guest: TestAccount;
let projectId: string;
beforeAll(async () => {
  service = await sharedService();
  people = new TestAccounts(service);
  [owner, admin, developer, guest] = await Promise.all([
    people.register('owner'),
    people.register('admin'),
    people.register('developer'),
    people.register('guest'),
  ]);
  projectId = await people.project(owner);
  await people.join(projectId, owner, admin, '4');
  await people.join(projectId, admin, developer, '5');
  await people.join(projectId, admin, guest, '6');
});
afterAll(() => people.deleteProjects());

const done = { code: 200, ok: true, error: false };
const path = (rest = ''): string => `/project/${projectId}${rest}`;
const ids = async (by = owner): Promise<readonly string[]> =>
  ((await by.api.get(path('/users'))).body as { id: string }[]).map(({ id }) => id);
const permissions = {
  '4': ['read', 'run', 'editTests', 'edit', 'manageUsers', 'apiKey'],
  '5': ['read', 'run', 'editTests', 'apiKey'],
  '6': ['read'],
} as const;
const switches = (role: keyof typeof permissions, leave: boolean): object => {
  const has = (permission: string): boolean => permissions[role].some((held) => held === permission);
  const names = ['read', 'run', 'editTests', 'edit', 'manageUsers', 'apiKey'];
  return { ...Object.fromEntries(names.map((name) => [name, has(name)])), editTest: has('editTests'), leave };
};

describe('project users', () => {
  it('lists every user with every field', async () => {
    const users = (await developer.api.get(path('/users'))).body;
    expect(users.map(({ id }: { id: string }) => Number(id))).toEqual([owner, admin, developer, guest].map(({ userId }) => userId));
    expect(users[0]).toEqual({
      id: String(owner.userId),
      email: owner.email,
      phone: null,
      name: 'owner',
      confirmed: true,
      confirmTokenExpiration: { date: expect.stringMatching(/\.000000$/), timezone_type: 3, timezone: 'UTC' },
      timezone: 'UTC',
      reportPeriod: 'week',
      notificationEmail: null,
      notificationDelay: 0,
      apiKey: '',
      role: {
        id: '4',
        users_id: null,
        name: expect.any(String),
        permissions: permissions['4'],
        systemRole: true,
        permissionsSwitches: switches('4', false),
      },
      isPayer: true,
      canBeRemoved: false,
      pending: false,
    });
    expect(users[2]).toMatchObject({ apiKey: expect.stringMatching(/^\w+$/), isPayer: false, canBeRemoved: true, role: { id: '5' } });
    expect(users[2].role.permissionsSwitches).toEqual(switches('5', true));
  });

  it('lists the user ids in the project', async () => {
    const { userIds, payerId } = (await guest.api.get(path())).body;
    expect(payerId).toBe(owner.userId);
    expect(userIds).toEqual([owner, admin, developer, guest].map(({ userId }) => userId));
  });

  it('changes a role by adding the user again or by naming the user', async () => {
    expect((await owner.api.put(path(`/users/${String(guest.userId)}`), { role: 5 })).body).toMatchObject({
      id: String(guest.userId),
      role: { id: '5' },
    });
    expect((await guest.api.get(path('/permissions'))).body).toEqual(switches('5', true));
    expect((await owner.api.post(path('/users'), { email: guest.email, role: '6' })).body).toMatchObject({ role: { id: '6' } });
    expect((await guest.api.get(path('/permissions'))).body).toEqual(switches('6', true));
    for (const userId of ['999999', 'x']) expect((await owner.api.put(path(`/users/${userId}`), { role: '6' })).status).toBe(404);
  });

  it("refuses to remove the owner or to change the owner's role", async () => {
    const before = await ids();
    const refused = await admin.api.delete(path('/users'), { users: [guest.userId, owner.userId] });
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('owner');
    expect((await owner.api.delete(path('/users'), { users: [owner.userId] })).status).toBe(403);
    expect((await admin.api.put(path(`/users/${String(owner.userId)}`), { role: '6' })).status).toBe(403);
    expect(await ids()).toEqual(before);
  });

  it('removes no user when one of the given users is unknown', async () => {
    const before = await ids();
    const refused = await admin.api.delete(path('/users'), { users: [guest.userId, 424_242] });
    expect([refused.status, refused.body.message]).toEqual([404, expect.stringContaining('424242')]);
    expect(await ids()).toEqual(before);
  });

  it('lets every user but the owner leave, and requires the right to remove others', async () => {
    const leaving = await people.register('leaving');
    await people.join(projectId, owner, leaving, '6');
    expect((await leaving.api.delete(path('/users'), { users: [leaving.userId, guest.userId] })).status).toBe(403);
    expect((await leaving.api.delete(path('/users'), { users: [leaving.userId] })).body).toEqual(done);
    expect((await leaving.api.get(path())).status).toBe(403);
  });

  it('removes the project from the list of a removed user', async () => {
    const removed = await people.register('removed');
    await people.join(projectId, owner, removed, '5');
    expect((await removed.api.get(path())).status).toBe(200);
    await owner.api.delete(path('/users'), { users: [removed.userId] });
    await until(async () => (await removed.api.get(path())).status === 403, 3_000, 'the end of the access');
    expect((await removed.api.get('/projects')).body.projects).toEqual([]);
  });

  it('keeps one of two administrators who remove each other simultaneously', async () => {
    for (let round = 0; round < thorough(5, 2); round++) {
      const [one, two] = await Promise.all([people.register(), people.register()]);
      await people.join(projectId, owner, one, '4');
      await people.join(projectId, owner, two, '4');
      const answers = await Promise.all([
        one.api.delete(path('/users'), { users: [two.userId] }),
        two.api.delete(path('/users'), { users: [one.userId] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      const left = (await ids()).filter((id) => id === String(one.userId) || id === String(two.userId));
      expect(left).toHaveLength(1);
      await owner.api.delete(path('/users'), { users: left.map(Number) });
    }
  });
});

describe('project roles and permissions', () => {
  it('lists the roles', async () => {
    const answer = await guest.api.get(path('/roles'));
    expect(answer.body.map(({ id }: { id: string }) => id)).toEqual(['4', '5', '6']);
    for (const role of answer.body) {
      const id = role.id as keyof typeof permissions;
      expect(role).toEqual({
        id,
        users_id: null,
        name: expect.any(String),
        permissions: permissions[id],
        systemRole: true,
        permissionsSwitches: switches(id, true),
      });
    }
  });

  it('lists the permissions of the caller', async () => {
    expect((await owner.api.get(path('/permissions'))).body).toEqual(switches('4', false));
    expect((await developer.api.get(path('/permissions'))).body).toEqual(switches('5', true));
    expect((await guest.api.get(path())).body.permissions).toEqual(switches('6', true));
  });

  it('shows the project key only to roles that may see it', async () => {
    expect((await developer.api.get(path())).body.apiKey).toMatch(/^\w+$/);
    expect((await guest.api.get(path())).body.apiKey).toBe('');
  });

  it("refuses to grant a role above the caller's own", async () => {
    const outsider = await people.register();
    for (const by of [developer, guest, outsider])
      expect((await by.api.post(path('/users'), { email: outsider.email, role: '6' })).status).toBe(403);
    expect((await guest.api.put(path(`/users/${String(guest.userId)}`), { role: '4' })).status).toBe(403);
  });
});

describe('transferring a project', () => {
  it('makes another user the owner and the former owner an administrator who may leave', async () => {
    const [from, to] = await Promise.all([people.register(), people.register()]);
    const id = await people.project(from);
    await people.join(id, from, to, '6');
    expect((await to.api.post(`/project/${id}/transfer`, { userId: to.userId })).status).toBe(403);
    await people.give(id, from, to);
    expect((await to.api.get(`/project/${id}`)).body).toMatchObject({ payerId: to.userId, permissions: { leave: false, edit: true } });
    expect((await from.api.get(`/project/${id}/permissions`)).body).toEqual(switches('4', true));
    expect((await from.api.delete(`/project/${id}`)).status).toBe(403);
    expect((await from.api.delete(`/project/${id}/users`, { users: [from.userId] })).body).toEqual(done);
  });

  it('counts against the plan limit of the new owner and frees one of the former owner', async () => {
    const [from, to] = await Promise.all([people.register(), people.register()]);
    await people.administer(to, { plan: 'basic' });
    const projects = [];
    for (let n = 0; n < 11; n++) projects.push(await people.project(from));
    for (const id of projects.slice(0, 10)) await people.give(id, from, to);
    await expect(people.give(projects[10] ?? '', from, to)).rejects.toMatchObject({ status: 402 });
    expect((await from.api.get(`/project/${String(projects[10])}`)).body.payerId).toBe(from.userId);
    await people.administer(from, { plan: 'basic' });
    for (let n = 0; n < 9; n++) await people.project(from);
    await expect(people.project(from)).rejects.toMatchObject({ status: 402 });
  });
});

describe('notification settings', () => {
  const defaults = {
    severity: 1,
    email: true,
    pagerduty: false,
    pushover: false,
    pushbullet: false,
    slack: false,
    webPush: false,
    webhook: false,
  };

  it('default to errors by e-mail', async () => {
    expect((await developer.api.get(path('/notifications'))).body).toEqual(defaults);
  });

  it('change the supplied fields for the caller only', async () => {
    const changed = await developer.api.post(path('/notifications'), { severity: 3, slack: true, webPush: true });
    expect(changed.body).toEqual({ ...defaults, severity: 3, slack: true, webPush: true });
    expect((await developer.api.post(path('/notifications'), { email: false })).body).toEqual({ ...changed.body, email: false });
    expect((await developer.api.get(path('/notifications'))).body).toEqual({ ...changed.body, email: false });
    expect((await guest.api.get(path('/notifications'))).body).toEqual(defaults);
    expect((await developer.api.post(path('/notifications'), {})).status).toBe(200);
  });

  it.each([{ severity: 2 }, { severity: null }, { email: 'yes' }, { slack: null }, { fax: true }])('refuse %j', async (body) => {
    const answer = await guest.api.post(path('/notifications'), body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(Object.keys(body)[0]);
  });

  it('reset to the defaults for a user who rejoins', async () => {
    const back = await people.register();
    await people.join(projectId, owner, back, '6');
    await back.api.post(path('/notifications'), { slack: true });
    await owner.api.delete(path('/users'), { users: [back.userId] });
    expect((await back.api.get(path('/notifications'))).status).toBe(403);
    await people.join(projectId, owner, back, '6');
    expect((await back.api.get(path('/notifications'))).body).toEqual(defaults);
  });
});
