import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestMailServer } from '../../support/servers/mail.ts';
import { ApiClient } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { ADMIN, type TestService } from '../../support/service.ts';
import { sharedMail, sharedService, startBesideShared } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';

let mail: TestMailServer;
let service: TestService;
let other: TestService;
let people: TestAccounts;
beforeAll(async () => {
  mail = await sharedMail();
  service = await sharedService();
  other = await startBesideShared();
  people = new TestAccounts(service);
});
afterAll(async () => {
  await other.stop();
  await people.deleteProjects();
});

const done = { code: 200, ok: true, error: false };
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
const elsewhere = (account: TestAccount): ApiClient => new ApiClient(other.url, account.api.token);
/** The token in the newest link mailed to an address. */
const linkTo = async (email: string, path: string): Promise<string> => {
  await until(() => Promise.resolve(mail.to(email).some((text) => text.includes(path))), 5_000, `a mail to ${email}`);
  const text = mail.to(email).findLast((candidate) => candidate.includes(path)) ?? '';
  const link = /http:\/\/\S+/.exec(text)?.[0] ?? '';
  expect(new URL(link).pathname).toBe(path);
  return new URL(link).searchParams.get('token') ?? '';
};

describe('POST /account/register', () => {
  it('creates an unconfirmed account, of which GET /account shows every field', async () => {
    const registered = await people.anonymous.post('/account/register', { email: 'Grace@Example.test', password: PASSWORD, name: 'Grace' });
    expect([registered.status, registered.body]).toEqual([200, done]);
    const answer = await (await people.anonymous.signIn('Grace@Example.test', PASSWORD)).get('/account');
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[1-9]\d*$/),
      email: 'Grace@Example.test',
      phone: null,
      name: 'Grace',
      confirmed: false,
      confirmTokenExpiration: {
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.000000$/),
        timezone_type: 3,
        timezone: 'UTC',
      },
      timezone: 'UTC',
      reportPeriod: 'week',
      notificationEmail: null,
      notificationDelay: 0,
      apiKey: expect.stringMatching(/^\w+$/),
      plan: 'unlimited',
      systemRole: null,
      created: instant,
    });
    expect(Date.parse(`${answer.body.confirmTokenExpiration.date}Z`)).toBeGreaterThan(Date.now());
  });

  it('opens no second account for an e-mail address that differs only in case', async () => {
    const { email } = await people.register();
    const again = await people.anonymous.post('/account/register', {
      email: email.toUpperCase(),
      password: 'the password of another',
      name: 'x',
    });
    expect(again.status).toBe(200);
    expect((await people.anonymous.post('/authenticate', { email: email.toUpperCase(), password: PASSWORD })).status).toBe(200);
  });

  it('opens one account for many simultaneous registrations of an address, across instances', async () => {
    const body = { email: 'contended@example.test', password: PASSWORD, name: 'x' };
    const clients = [new ApiClient(service.url), new ApiClient(other.url)];
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => clients[index % 2]?.post('/account/register', body)));
    const statuses = answers.map((answer) => answer?.status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const { rows } = await service.database.pool.query(`SELECT FROM claim WHERE kind = 'email' AND expires IS NULL AND holder = $1`, [
      `account-${String((await (await people.anonymous.signIn(body.email, PASSWORD)).get('/account')).body.id)}`,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('confirms the account by the mailed link, which works once, sets the password and ends the sessions', async () => {
    const account = await people.registerUnconfirmed();
    const token = await linkTo(account.email, '/api/account/confirm');
    expect((await people.anonymous.get(`/account/confirm?token=${token}`)).headers.get('content-type')).toContain('text/html');
    const before = (await account.api.get('/account')).body;
    expect(before.confirmed).toBe(false);
    expect((await people.anonymous.post('/account/confirm', { token })).status).toBe(400);
    expect((await people.anonymous.post('/account/confirm', { token, password: 'chosen by its owner' })).body).toEqual(done);
    expect((await account.api.get('/account')).status).toBe(401);
    await expect(people.anonymous.signIn(account.email, PASSWORD)).rejects.toThrow('401');
    const api = await people.anonymous.signIn(account.email, 'chosen by its owner');
    const expiry = before.confirmTokenExpiration;
    expect((await api.get('/account')).body).toMatchObject({ confirmed: true, confirmTokenExpiration: expiry });
    expect((await people.anonymous.post('/account/confirm', { token, password: PASSWORD })).status).toBe(400);
  });

  it('may sign in, read, leave and erase itself before it is confirmed, and nothing else', async () => {
    const { api } = await people.registerUnconfirmed();
    for (const path of ['/projects', '/authenticate', '/account/tokens', '/account/channels', '/account/invitations']) {
      const refused = await api.get(path);
      expect([path, refused.status, refused.body.message]).toEqual([path, 403, expect.stringContaining('not confirmed')]);
    }
    expect((await api.post('/project/create', { url: 'https://example.com' })).status).toBe(403);
    expect((await api.put('/account', { name: 'x' })).status).toBe(403);
    expect((await api.put('/account/channels/slack', { url: 'https://hooks.example.test' })).status).toBe(403);
    expect((await api.get('/account')).status).toBe(200);
    expect((await api.delete('/account')).body).toEqual(done);
  });
});

describe('PUT /account and password changes', () => {
  it('changes the supplied fields and ignores read-only ones', async () => {
    const { api, email } = await people.register();
    const wanted = {
      name: 'Ada L.',
      phone: '+420 123 456',
      timezone: 'Europe/Prague',
      notificationEmail: 'ops@example.test',
      notificationDelay: 5,
    };
    const answer = await api.put('/account', { ...wanted, reportPeriod: false });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ ...wanted, reportPeriod: 'false', email });
    const sentBack = await api.put('/account', answer.body);
    expect(sentBack.body).toEqual(answer.body);
    expect((await api.put('/account', { phone: null, notificationEmail: null })).body).toMatchObject({
      phone: null,
      notificationEmail: null,
      name: 'Ada L.',
    });
  });

  it('revokes every token when the password changes, on every instance', async () => {
    const account = await people.register();
    const personal = (await account.api.post('/account/tokens', { name: 'ci' })).body.token as string;
    const watched = [elsewhere(account), new ApiClient(other.url, personal), account.api];
    for (const client of watched) expect((await client.get('/projects')).status).toBe(200);
    expect((await account.api.post('/account/password', { current: 'wrong', new: 'another password' })).status).toBe(403);
    expect((await account.api.post('/account/password', { current: PASSWORD, new: 'another password' })).body).toEqual(done);
    const refused = async (): Promise<boolean> =>
      (await Promise.all(watched.map((client) => client.get('/projects')))).every(({ status }) => status === 401);
    await until(refused, 3_000, 'the end of every token');
    await expect(people.anonymous.signIn(account.email, PASSWORD)).rejects.toThrow('401');
    await people.anonymous.signIn(account.email, 'another password');
  });

  it('sets a new password by a mailed link, which works once and confirms the account', async () => {
    const account = await people.register();
    const known = await people.anonymous.post('/account/password/reset', { email: account.email });
    const unknown = await people.anonymous.post('/account/password/reset', { email: 'unknown@example.test' });
    expect([known.status, unknown.status, unknown.text]).toEqual([200, 200, known.text]);
    const token = await linkTo(account.email, '/api/account/password/reset');
    const used = await Promise.all(
      [1, 2, 3].map((n) => people.anonymous.post('/account/password/reset', { token, password: `chosen password ${String(n)}` })),
    );
    expect(used.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await account.api.get('/account')).status).toBe(401);
    const winner = used.findIndex(({ status }) => status === 200) + 1;
    const again = await people.anonymous.signIn(account.email, `chosen password ${String(winner)}`);
    expect((await again.get('/account')).body.confirmed).toBe(true);
  });

  it('limits the number of links mailed to one address', async () => {
    const { email } = await people.registerUnconfirmed();
    await linkTo(email, '/api/account/confirm');
    await Promise.all(Array.from({ length: 12 }, () => people.anonymous.post('/account/password/reset', { email })));
    await until(() => Promise.resolve(mail.to(email).length >= 3), 5_000);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(mail.to(email).length).toBe(3);
  });

  it('writes no link to the service log', async () => {
    const { email } = await people.register();
    const token = await linkTo(email, '/api/account/confirm');
    await people.anonymous.get(`/account/confirm?token=${token}`);
    expect([...service.log, ...other.log].join('\n')).not.toContain(token);
  });
});

describe('personal access tokens', () => {
  it('shows a token once, lists it with its last use and revokes it on every instance', async () => {
    const account = await people.register();
    const made = await account.api.post('/account/tokens', { name: 'ci', exp: '+1 month' });
    expect(made.body).toMatchObject({
      token: expect.any(String),
      tid: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'ci',
      expiresAt: instant,
    });
    const listed = async () => (await account.api.get('/account/tokens')).body.filter(({ kind }: { kind: string }) => kind === 'personal');
    expect(await listed()).toEqual([
      {
        ...{ tid: made.body.tid, kind: 'personal', name: 'ci', created: instant, expiresAt: made.body.expiresAt },
        ...{ lastUsed: null, lastUsedAt: null, lastUsedFrom: null, scopes: null, projects: null, addresses: null },
        ...{ address: null, userAgent: null, current: false },
      },
    ]);
    const program = new ApiClient(other.url, made.body.token);
    expect((await program.get('/authenticate')).body).toMatchObject({ id: account.userId, tid: made.body.tid });
    await until(async () => (await listed())[0].lastUsedAt !== null, 3_000, 'the last use');
    expect((await listed())[0]).toMatchObject({ lastUsed: instant, lastUsedAt: instant, lastUsedFrom: '127.0.0.1' });
    expect((await account.api.delete(`/account/tokens/${String(made.body.tid)}`)).body).toEqual(done);
    await until(async () => (await program.get('/projects')).status === 401, 3_000, 'the end of the token');
    expect(await listed()).toEqual([]);
    expect((await account.api.delete(`/account/tokens/${String(made.body.tid)}`)).status).toBe(404);
  });

  it('refuses a revoked token even when a crash left its row in the table', async () => {
    const account = await people.register();
    const { token, tid } = (await account.api.post('/account/tokens', { name: 'ci' })).body;
    const { rows } = await service.database.pool.query<Record<string, unknown>>('SELECT * FROM tokens WHERE token_id = $1', [tid]);
    expect((await account.api.delete(`/account/tokens/${String(tid)}`)).body).toEqual(done);
    await service.database.pool.query('INSERT INTO tokens SELECT * FROM json_populate_record(NULL::tokens, $1)', [JSON.stringify(rows[0])]);
    const programs = [service.url, other.url].map((url) => new ApiClient(url, token as string));
    const refused = async (): Promise<boolean> =>
      (await Promise.all(programs.map((program) => program.get('/projects')))).every(({ status }) => status === 401);
    await until(refused, 3_000, 'the end of the token');
  });

  it('lets only the owning account revoke a token', async () => {
    const [ada, eve] = await Promise.all([people.register(), people.register()]);
    const made = (await ada.api.post('/account/tokens', { name: 'ci' })).body;
    expect((await eve.api.delete(`/account/tokens/${String(made.tid)}`)).status).toBe(404);
    expect((await people.anonymous.as(made.token).get('/projects')).status).toBe(200);
  });

  it('creates one token for a retried request and answers the same token again', async () => {
    const { api } = await people.register();
    const repeated = api.with({ 'idempotency-key': 'make-it-once' });
    const [first, again] = [await repeated.post('/account/tokens', { name: 'ci' }), await repeated.post('/account/tokens', { name: 'ci' })];
    expect([first.status, again.body]).toEqual([200, first.body]);
    const names: readonly (string | null)[] = (await api.get('/account/tokens')).body.map(({ name }: { name: string | null }) => name);
    expect(new Set(names)).toEqual(new Set(['ci', null]));
    expect(names).toHaveLength(2);
  });

  it('stores no token in the clear', async () => {
    const { api } = await people.register();
    const { token } = (await api.with({ 'idempotency-key': 'secret' }).post('/account/tokens', { name: 'ci' })).body;
    const { rows } = await service.database.pool.query<{ dump: string }>(`
      SELECT coalesce(string_agg(t::text, ' '), '') AS dump FROM (
        SELECT row_to_json(l)::text FROM log l UNION ALL SELECT row_to_json(t)::text FROM tokens t
        UNION ALL SELECT row_to_json(i)::text FROM idempotency i
      ) AS t`);
    expect(rows[0]?.dump).not.toContain(token);
  });
});

describe('sessions', () => {
  it('lists where an account is signed in, and ends a session on every instance', async () => {
    const account = await people.register();
    const browser = await people.anonymous.with({ 'user-agent': 'Browser/1' }).signIn(account.email, PASSWORD, '+1 week');
    const sessions = (await account.api.get('/account/tokens')).body as readonly { readonly tid: string; readonly current: boolean }[];
    // Both may be of one second, in which they have the order of their ids.
    const others = sessions.filter(({ current }) => !current);
    expect(others).toEqual([
      {
        ...{
          tid: expect.stringMatching(/^[0-9a-f]{24}$/),
          kind: 'login',
          name: null,
          created: instant,
          expiresAt: instant,
        },
        ...{ lastUsed: null, lastUsedAt: null, lastUsedFrom: null, scopes: null, projects: null, addresses: null },
        ...{ address: '127.0.0.1', userAgent: 'Browser/1', current: false },
      },
    ]);
    expect(sessions.filter(({ current }) => current)).toEqual([expect.objectContaining({ kind: 'login' })]);
    const tid = others[0]?.tid;
    expect((await people.register().then(({ api }) => api.delete(`/account/tokens/${String(tid)}`))).status).toBe(404);
    expect((await browser.get('/projects')).status).toBe(200);
    expect((await account.api.delete(`/account/tokens/${String(tid)}`)).body).toEqual(done);
    for (const client of [browser, new ApiClient(other.url, browser.token)])
      await until(async () => (await client.get('/projects')).status === 401, 3_000, 'the end of the session');
    expect((await account.api.get('/account/tokens')).body).toHaveLength(1);
    expect((await account.api.delete(`/account/tokens/${String(tid)}`)).status).toBe(404);
    expect((await account.api.get('/projects')).status).toBe(200);
  });

  it('signs out with DELETE /authenticate: the token of the request ends, a personal one too, and no other', async () => {
    const account = await people.register();
    const personal = people.anonymous.as((await account.api.post('/account/tokens', { name: 'ci' })).body.token as string);
    const second = await people.anonymous.signIn(account.email, PASSWORD);
    for (const client of [second, personal]) {
      expect((await client.delete('/authenticate')).body).toEqual(done);
      for (const url of [service.url, other.url])
        await until(async () => (await new ApiClient(url, client.token).get('/projects')).status === 401, 3_000, 'the end of the token');
      expect((await account.api.get('/projects')).status).toBe(200);
    }
    const { rows } = await service.database.pool.query(`SELECT type FROM log WHERE scope = $1 AND type = 'TokenRevoked'`, [
      `account-${String(account.userId)}`,
    ]);
    expect(rows).toHaveLength(2);
  });
});

describe('DELETE /account', () => {
  it('deletes the projects it owns, keeps those of others, and makes its personal data unreadable', async () => {
    const [ada, eve] = await Promise.all([people.register('ada'), people.register('eve')]);
    const [own, shared] = [await people.project(ada), await people.project(eve)];
    await people.join(own, ada, eve, '5');
    await people.join(shared, eve, ada, '6');
    const sealed = async (): Promise<string | undefined> => {
      const { rows } = await service.database.pool.query<{ wrapped: Buffer | null }>(
        'SELECT wrapped FROM subject_keys WHERE subject = $1',
        [`account-${String(ada.userId)}`],
      );
      return rows[0]?.wrapped?.toString('hex');
    };
    expect(await sealed()).toBeDefined();
    expect((await ada.api.delete('/account')).body).toEqual(done);
    expect(await sealed()).toBeUndefined();
    expect((await ada.api.get('/account')).status).toBe(401);
    await until(async () => (await elsewhere(ada).get('/account')).status === 401, 3_000, 'the end of the token');
    expect((await eve.api.get(`/project/${own}`)).status).toBe(404);
    const users = (await eve.api.get(`/project/${shared}/users`)).body as { id: string }[];
    expect(users.map(({ id }) => id)).toEqual([String(eve.userId)]);
    await expect(people.anonymous.signIn(ada.email, PASSWORD)).rejects.toThrow('401');
  });

  it('frees the address for a new account, which is a different one', async () => {
    const ada = await people.register();
    await ada.api.delete('/account');
    const again = await people.anonymous.post('/account/register', { email: ada.email, password: PASSWORD, name: 'new' });
    expect(again.status).toBe(200);
    const { body } = await (await people.anonymous.signIn(ada.email, PASSWORD)).get('/account');
    expect(Number(body.id)).toBeGreaterThan(ada.userId);
  });

  it('leaves no name, address or password in the clear in the database', async () => {
    const ada = await people.register('a-unique-name');
    await ada.api.put('/account', { phone: '+420777888999' });
    const { rows: tables } = await service.database.pool.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const { rows } = await service.database.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      const dump = rows.map(({ row }) => row).join('\n');
      for (const secret of ['a-unique-name', '+420777888999', PASSWORD]) expect([name, dump.includes(secret)]).toEqual([name, false]);
    }
  });
});

describe('GET and PUT /accounts for administrators', () => {
  it('lists accounts page by page and finds them by id and by whole address', async () => {
    const [admin, ada] = [await people.admin(), await people.register()];
    const first = (await admin.api.get('/accounts?limit=2')).body;
    expect(first.accounts.map(({ id }: { id: string }) => id)).toEqual(['1', expect.any(String)]);
    const second = (await admin.api.get(`/accounts?limit=2&cursor=${String(first.nextCursor)}`)).body;
    expect(Number(second.accounts[0].id)).toBeGreaterThan(Number(first.accounts[1].id));
    for (const search of [String(ada.userId), encodeURIComponent(ada.email.toUpperCase())]) {
      const { accounts } = (await admin.api.get(`/accounts?search=${search}`)).body;
      expect(accounts).toHaveLength(1);
      expect(accounts[0]).toMatchObject({ id: String(ada.userId), email: ada.email, apiKey: '' });
    }
    expect((await admin.api.get('/accounts?search=example')).body.accounts).toEqual([]);
    for (const query of ['limit=0', 'limit=x', 'cursor=x', 'page=1']) expect((await admin.api.get(`/accounts?${query}`)).status).toBe(400);
  });

  it('changes plan and system role with immediate effect', async () => {
    const [admin, ada] = [await people.admin(), await people.register()];
    expect((await ada.api.get('/accounts')).status).toBe(403);
    const changed = await admin.api.put(`/accounts/${String(ada.userId)}`, { plan: 'unlimited', systemRole: 'admin' });
    expect(changed.body).toMatchObject({ id: String(ada.userId), plan: 'unlimited', systemRole: 'admin' });
    expect((await ada.api.get('/accounts')).status).toBe(200);
    await admin.api.put(`/accounts/${String(ada.userId)}`, { systemRole: null });
    expect((await ada.api.get('/accounts')).status).toBe(403);
    for (const body of [{ plan: 'gold' }, { systemRole: 'root' }, { email: 'x@example.test' }])
      expect((await admin.api.put(`/accounts/${String(ada.userId)}`, body)).status).toBe(400);
    for (const id of ['999999', 'x', '0']) expect((await admin.api.put(`/accounts/${id}`, { plan: 'free' })).status).toBe(404);
  });

  it('needs a recent sign-in or the password', async () => {
    const [admin, ada] = [await people.admin(), await people.register()];
    const { token } = (await admin.api.post('/account/tokens', { name: 'without a sign-in' })).body;
    const [path, wanted] = [`/accounts/${String(ada.userId)}`, { systemRole: 'admin' }];
    const unattended = admin.api.as(String(token));
    expect((await unattended.put(path, wanted)).status).toBe(403);
    expect((await unattended.put(path, { ...wanted, password: 'not this one' })).status).toBe(403);
    expect((await ada.api.get('/accounts')).status).toBe(403);
    expect(await unattended.put(path, { ...wanted, password: ADMIN.password })).toMatchObject({
      status: 200,
      body: { systemRole: 'admin' },
    });
    expect((await ada.api.get('/accounts')).status).toBe(200);
  });
});
