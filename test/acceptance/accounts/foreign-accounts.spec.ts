import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, Json } from '../../support/api-client.ts';
import type { TestMailServer } from '../../support/servers/mail.ts';
import type { TestService } from '../../support/service.ts';
import { sharedMail, sharedService } from '../../support/shared-service.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';

/** What accounts reveal to strangers, and what strangers get by an address that is not theirs. */
let mail: TestMailServer;
let service: TestService;
let people: TestAccounts;
let eve: TestAccount;
let victim: TestAccount;
const secrets = { name: 'Head of IT', phone: '+420 111 222 333', notificationEmail: 'private-admin@home.example', timezone: 'Asia/Tokyo' };
beforeAll(async () => {
  mail = await sharedMail();
  service = await sharedService();
  people = new TestAccounts(service);
  [eve, victim] = [await people.register('eve'), await people.register('victim')];
  expect((await victim.api.put('/account', { ...secrets, notificationDelay: 7, reportPeriod: false })).status).toBe(200);
});
afterAll(() => people.deleteProjects());

const secretsIn = (text: string): readonly string[] => [...Object.values(secrets), victim.email].filter((secret) => text.includes(secret));
/** Everything that a member with every right can read of a project. */
const everything = async ({ api }: TestAccount, id: string): Promise<string> => {
  const paths = ['', '/users', '/transfer', '/history', '/history?format=csv', '/compare?from=2020-01-01T00:00:00Z'];
  return (await Promise.all(paths.map(async (path) => (await api.get(`/project/${id}${path}`)).text))).join('\n');
};
const tokenTo = async (email: string, page: string): Promise<string> => {
  const found = (): string => mail.to(email).findLast((text) => text.includes(page)) ?? '';
  await until(() => Promise.resolve(found() !== ''), 5_000, `a mail to ${email}`);
  return /token=([\w-]+)/.exec(found())?.[1] ?? '';
};

describe('a stranger', () => {
  it('learns nothing of accounts by offering a project to every number', async () => {
    const offered = async (userId: number): Promise<readonly unknown[]> => {
      const id = await people.project(eve);
      const answer = await eve.api.post(`/project/${id}/transfer`, { userId });
      expect(secretsIn(await everything(eve, id))).toEqual([]);
      const users = (await eve.api.get(`/project/${id}/users`)).body as readonly Json[];
      const pending = (await eve.api.get(`/project/${id}/transfer`)).body.transfer;
      const { payerId, userIds } = (await eve.api.get(`/project/${id}`)).body;
      const [event] = (await eve.api.get(`/project/${id}/history?type=TransferOffered`)).body.events as readonly Json[];
      const answers = [
        answer.status,
        answer.text,
        users.length,
        payerId,
        userIds,
        Object.keys(pending as object),
        pending.userId === userId,
      ];
      await eve.api.delete(`/project/${id}`);
      return [
        ...answers,
        String(event.summary)
          .replace(String(userId), 'N')
          .replace(/\d{4}-.*$/, ''),
      ];
    };
    expect(await offered(victim.userId)).toEqual(await offered(424_242));
  });

  it('learns nothing of an address, not even whether it has an account', async () => {
    const id = await people.project(eve);
    const answers: Answer[] = [];
    for (const email of [victim.email, 'unknown@example.test'])
      answers.push(await eve.api.post(`/project/${id}/users`, { email, role: '4' }));
    const [known, unknown] = answers.map(({ status, body }) => {
      const { id: number, email, name, confirmTokenExpiration, ...rest } = body;
      expect(Number(number)).toBeGreaterThan(2 ** 30);
      expect([String(email).startsWith(String(name)), confirmTokenExpiration.timezone]).toEqual([true, 'UTC']);
      return [status, rest];
    });
    expect(known).toEqual(unknown);
    const read = await everything(eve, id);
    expect(secretsIn(read)).toEqual([victim.email]);
    expect(read).not.toContain(`"userId":${String(victim.userId)}`);
  });

  it('sees of a member who has accepted no more than name, address and role', async () => {
    const id = await people.project(eve);
    await people.join(id, eve, victim, '4');
    const users = (await eve.api.get(`/project/${id}/users`)).body as readonly Json[];
    const shown = users.find((user) => user.id === String(victim.userId));
    expect(shown).toMatchObject({ email: victim.email, name: secrets.name, role: { id: '4' }, pending: false });
    expect(shown).toMatchObject({
      phone: null,
      notificationEmail: null,
      timezone: 'UTC',
      reportPeriod: 'week',
      notificationDelay: 0,
      apiKey: '',
    });
    const own = ((await victim.api.get(`/project/${id}/users`)).body as readonly Json[]).find((user) => user.id === String(victim.userId));
    expect(own).toMatchObject({ ...secrets, notificationDelay: 7, reportPeriod: 'false' });
    const accounts = (await (await people.admin()).api.get('/accounts?limit=1000')).text;
    expect([accounts.includes(secrets.phone), accounts.includes(secrets.notificationEmail)]).toEqual([false, false]);
  });

  it('gets no project of others: an account becomes a member or an owner only by accepting', async () => {
    const id = await people.project(eve);
    await eve.api.post(`/project/${id}/users`, { email: victim.email, role: '6' });
    await eve.api.post(`/project/${id}/transfer`, { userId: victim.userId });
    expect((await victim.api.get('/projects')).text).not.toContain(id);
    expect((await victim.api.get(`/project/${id}`)).status).toBe(403);
    expect((await victim.api.get(`/project/${id}/notifications`)).status).toBe(403);
  });
});

describe('an account that registers a foreign address', () => {
  const hijack = async (): Promise<{ readonly email: string; readonly api: TestAccount['api']; readonly id: string }> => {
    const email = `ceo-${String(Math.random()).slice(2)}@bigcorp.example`;
    await people.anonymous.post('/account/register', { email, password: 'known to the attacker', name: 'CEO' });
    const api = await people.anonymous.signIn(email, 'known to the attacker', '+1 year');
    const id = await people.project(victim);
    expect((await victim.api.post(`/project/${id}/users`, { email, role: '4' })).body).toMatchObject({ email, pending: true });
    return { email, api, id };
  };
  const isShutOut = async (email: string, api: TestAccount['api']): Promise<void> => {
    await until(async () => (await api.get('/account')).status === 401, 3_000, 'the end of the session');
    await expect(people.anonymous.signIn(email, 'known to the attacker')).rejects.toThrow('401');
  };

  it('gets nothing by an invitation to it', async () => {
    const { api, id } = await hijack();
    for (const path of [`/project/${id}`, `/project/${id}/users`, '/projects', '/account/invitations', '/account/transfers'])
      expect([path, (await api.get(path)).status]).toEqual([path, 403]);
    expect((await victim.api.get(`/project/${id}/users`)).body).toHaveLength(2);
    const { rows } = await service.database.pool.query<{ id: string }>('SELECT id FROM invitation WHERE project_id = $1', [id]);
    expect((await api.post(`/account/invitations/${rows[0]?.id ?? ''}/accept`)).status).toBe(403);
  });

  it('is shut out when the owner of the address accepts by the link of the invitation', async () => {
    const { email, api, id } = await hijack();
    const token = await tokenTo(email, '/api/account/invitation?');
    expect((await people.anonymous.post('/account/invitation', { token })).status).toBe(400);
    expect((await people.anonymous.post('/account/invitation', { token, password: PASSWORD })).status).toBe(200);
    await isShutOut(email, api);
    expect((await (await people.anonymous.signIn(email, PASSWORD)).get(`/project/${id}`)).status).toBe(200);
  });

  it('is shut out when the owner of the address confirms it', async () => {
    const { email, api } = await hijack();
    const token = await tokenTo(email, '/api/account/confirm?');
    expect((await people.anonymous.post('/account/confirm', { token })).status).toBe(400);
    expect((await people.anonymous.post('/account/confirm', { token, password: PASSWORD })).status).toBe(200);
    await isShutOut(email, api);
    const { body } = await (await people.anonymous.signIn(email, PASSWORD)).get('/account/invitations');
    expect(body).toHaveLength(1);
  });
});
