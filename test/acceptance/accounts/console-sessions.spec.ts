import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, type Answer } from '../../support/api-client.ts';
import { ConsoleClient, OWN_PAGE, signInLink } from '../../support/console-client.ts';
import { ADMIN, type TestService } from '../../support/service.ts';
import { sharedService, startBesideShared } from '../../support/shared-service.ts';
import { PASSWORD, type TestAccount, TestAccounts } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';

let service: TestService;
/** The second instance, behind a proxy with TLS. */
let secure: TestService;
let people: TestAccounts;
let owner: TestAccount;
beforeAll(async () => {
  service = await sharedService();
  secure = await startBesideShared();
  people = new TestAccounts(service);
  owner = await people.register('owner');
});
afterAll(async () => {
  await secure.stop();
  await people.deleteProjects();
});

const signedIn = (account: TestAccount = owner): Promise<ConsoleClient> => ConsoleClient.at(service.url).signIn(account.email, PASSWORD);
const BY_TLS = { ...OWN_PAGE, 'x-forwarded-proto': 'https' };
const valueOf = (client: ConsoleClient): string => client.cookie?.split('=')[1] ?? '';
/** With the cookie alone, as a page elsewhere could make the browser send it. */
const forged = (client: ConsoleClient, headers: Readonly<Record<string, string>>): ConsoleClient => client.copy(service.url, headers);
const database = (text: string, values: readonly unknown[]) => service.database.pool.query(text, [...values]);
const tokenOf = async (client: ConsoleClient): Promise<string> => (await client.get('/authenticate')).body.tid as string;
const ended = (client: ConsoleClient): Promise<void> =>
  until(async () => (await client.get('/session')).status === 401, 3_000, 'the end of the session');

describe('a session of the console', () => {
  it('is opened by the password, with a cookie that no script can read and no token', async () => {
    const client = ConsoleClient.at(service.url);
    const answer = await client.post('/session', { email: owner.email, password: PASSWORD });
    expect(answer.body).toMatchObject({ account: { id: String(owner.userId), email: owner.email }, passwordNeeded: false });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^watchledger-session=[\w-]{43}; Path=\/; Max-Age=604\d{3}; HttpOnly; SameSite=Strict$/),
    ]);
    expect(answer.text).not.toMatch(/eyJ|"token"/);
    const { account, expiresAt } = (await client.get('/session')).body;
    expect([account.email, expiresAt]).toEqual([owner.email, answer.body.expiresAt]);
    const listed = (await client.get('/account/tokens')).body as readonly { readonly current: boolean }[];
    expect(listed.find(({ current }) => current)).toMatchObject({ kind: 'session', address: expect.stringMatching(/127\.0\.0\.1/) });
  });

  it('has a cookie of this host alone under https', async () => {
    const client = ConsoleClient.at(secure.url, BY_TLS);
    const answer = await client.post('/session', { email: owner.email, password: PASSWORD });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-watchledger-session=.+; Path=\/; .*; SameSite=Strict; Secure$/),
    ]);
    client.cookie = client.cookie?.replace('__Host-', '') ?? null;
    expect((await client.get('/session')).status).toBe(401);
  });

  it('is refused as a token is: a wrong password, an unknown field, a body of another kind', async () => {
    const client = ConsoleClient.at(service.url);
    const guess = { email: owner.email, password: 'a wrong password' };
    const [session, token] = [await client.post('/session', guess), await people.anonymous.post('/authenticate', guess)];
    expect([session.status, session.body.message, client.cookie]).toEqual([token.status, token.body.message, null]);
    expect((await client.post('/session', { ...guess, role: 'admin' })).status).toBe(400);
  });

  it('uses the API on a plan without API access, whose tokens do not', async () => {
    const account = await people.register('free');
    await people.administer(account, { plan: 'free' });
    const client = await signedIn(account);
    await until(async () => (await account.api.get('/projects')).status === 403, 3_000, 'the plan');
    expect((await client.get('/projects')).status).toBe(200);
  });
});

it('shows an administrator the plans, and what the doctor finds on the instance', async () => {
  const client = await ConsoleClient.at(service.url).signIn(ADMIN.email, ADMIN.password);
  const { plans, engine } = (await client.get('/ops/installation')).body;
  expect([typeof engine, plans.map(({ name }: { readonly name: string }) => name)]).toEqual(['string', ['free', 'basic', 'unlimited']]);
  const [one, other] = await Promise.all([client.get('/ops/doctor'), client.get('/ops/doctor')]);
  expect(one.body.findings).toContainEqual({ name: 'configuration', state: 'ok', found: 'every variable is valid', advice: null });
  expect(other.body).toEqual(one.body);
});

describe('session fixation', () => {
  it('fails: a sign-in ignores the cookie that is there, and ends the session behind it', async () => {
    const attacker = await signedIn(await people.register('attacker'));
    const victim = attacker.copy();
    await victim.signIn(owner.email, PASSWORD);
    expect(valueOf(victim)).not.toBe(valueOf(attacker));
    expect((await victim.get('/session')).body.account.email).toBe(owner.email);
    await ended(attacker);
    const planted = ConsoleClient.at(service.url);
    planted.cookie = `watchledger-session=${'A'.repeat(43)}`;
    await planted.signIn(owner.email, PASSWORD);
    expect(valueOf(planted)).not.toBe('A'.repeat(43));
  });

  it('fails with a second cookie of the name, which a page of another port can set', async () => {
    const [victim, attacker] = [await signedIn(), await signedIn(await people.register('attacker'))];
    const both = victim.copy();
    both.cookie = `${attacker.cookie ?? ''}; ${victim.cookie ?? ''}`;
    expect((await both.get('/session')).status).toBe(401);
  });
});

describe('a stolen cookie', () => {
  it('is worth nothing after the sign-out, on any instance', async () => {
    const client = await signedIn();
    const thief = client.copy();
    const elsewhere = client.copy(secure.url, BY_TLS);
    elsewhere.cookie = `__Host-${client.cookie ?? ''}`;
    expect((await elsewhere.get('/session')).status).toBe(200);
    expect((await client.delete('/session')).headers.getSetCookie()).toEqual([
      expect.stringContaining('watchledger-session=; Path=/; Max-Age=0'),
    ]);
    expect([client.cookie, (await thief.get('/account')).status]).toEqual([null, 401]);
    await ended(elsewhere);
  });

  it('is worth nothing after a change of password, the end in the list of tokens, or the erasure of the account', async () => {
    const account = await people.register('changing');
    const [changed, removed] = [await signedIn(account), await signedIn(account)];
    expect((await account.api.delete(`/account/tokens/${await tokenOf(removed)}`)).status).toBe(200);
    await ended(removed.copy());
    expect((await account.api.post('/account/password', { current: PASSWORD, new: 'another long password' })).status).toBe(200);
    await ended(changed.copy());
    const erased = await ConsoleClient.at(service.url).signIn(account.email, 'another long password');
    expect((await erased.copy().delete('/account', { password: 'another long password' })).status).toBe(200);
    await ended(erased);
  });

  it('is replaced every twelve hours and with each change of the system role; the former value is accepted for a minute', async () => {
    const account = await people.register('rotating');
    const client = await signedIn(account);
    const former = client.copy();
    const tid = await tokenOf(client);
    await database(`UPDATE tokens SET cookie_at = now() - interval '13 hours' WHERE token_id = $1`, [tid]);
    const isReplaced = async (before: string) => {
      await client.get('/account');
      return valueOf(client) !== before;
    };
    await until(() => isReplaced(valueOf(former)), 3_000, 'the rotation');
    const late = former.copy();
    expect((await late.get('/account')).status).toBe(200);
    expect(valueOf(late)).toBe(valueOf(client));
    await database(`UPDATE tokens SET cookie_at = now() - interval '61 seconds' WHERE token_id = $1`, [tid]);
    await ended(former);
    const beforeRole = valueOf(client);
    // The value is more than a minute old, so that the former one has had its time.
    await people.administer(account, { systemRole: 'auditor' });
    await until(() => isReplaced(beforeRole), 3_000, 'the rotation by role');
    expect((await client.get('/session')).body.rights).toEqual({ create: false, readAll: true, administer: false });
  });

  it('of another installation, or made up, opens nothing', async () => {
    for (const value of ['A'.repeat(43), '', '0', `${'A'.repeat(43)}'--`, (await people.admin()).api.token ?? '']) {
      const client = ConsoleClient.at(service.url);
      client.cookie = `watchledger-session=${value}`;
      expect([value, (await client.get('/account')).status]).toEqual([value, 401]);
    }
  });
});

describe('a request that a page elsewhere makes the browser send (CSRF)', () => {
  const forgeries: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['without the header of the console', {}],
    ['without the header, from the same origin', { 'sec-fetch-site': 'same-origin' }],
    ['from another site', { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' }],
    ['from another host of the site', { ...OWN_PAGE, 'sec-fetch-site': 'same-site' }],
    ['with another origin', { ...OWN_PAGE, origin: 'https://evil.example' }],
    ['with the origin of another port', { ...OWN_PAGE, origin: 'http://127.0.0.1:1' }],
    ['from a sandboxed page', { ...OWN_PAGE, origin: 'null' }],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['as plain text', { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' }],
  ];

  it.each(forgeries)('is refused %s', async (_, headers) => {
    const client = await signedIn();
    const page = forged(client, headers);
    const asked: Answer[] = [
      await page.post('/project/create', { url: 'https://example.com' }),
      await page.get('/project/create?url=https://example.com'),
      await page.put('/account', { name: 'Mallory' }),
      await page.delete('/session'),
    ];
    // A body of another content type is refused before anything is read.
    const expected = 'content-type' in headers ? [403, 415] : [403];
    expect(asked.filter(({ status }) => !expected.includes(status)).map(({ text }) => text)).toEqual([]);
    expect((await client.get('/projects')).body.projects).toEqual([]);
    expect((await client.get('/account')).body.name).toBe('owner');
  });

  it.each(forgeries)('signs no browser in to an account of the attacker, %s', async (_, headers) => {
    const page = ConsoleClient.at(service.url, headers);
    const { status } = await page.post('/session', { email: owner.email, password: PASSWORD });
    expect([[403, 415].includes(status), page.cookie]).toEqual([true, null]);
  });

  it('may read, as links and event streams do, and the answer is for no other origin', async () => {
    const answer = await forged(await signedIn(), { 'sec-fetch-site': 'cross-site' }).get('/account');
    expect([answer.status, answer.headers.get('cross-origin-resource-policy'), answer.headers.get('access-control-allow-origin')]).toEqual([
      ...[200, 'same-origin', null],
    ]);
  });

  it('is distinguished from one of a page of ours by the origin that the browser sends', async () => {
    const client = await signedIn();
    expect((await forged(client, { ...OWN_PAGE, origin: service.url }).put('/account', { name: 'owner' })).status).toBe(200);
    const status = async (origin: string): Promise<number> => {
      const elsewhere = client.copy(secure.url, { ...BY_TLS, origin });
      elsewhere.cookie = `__Host-${client.cookie ?? ''}`;
      return (await elsewhere.put('/account', { name: 'owner' })).status;
    };
    expect([await status(secure.url.replace('http:', 'https:')), await status(secure.url)]).toEqual([200, 403]);
  });
});

describe('a bearer token beside the cookie', () => {
  it('wins, whose requests need no header of the console', async () => {
    const [client, other] = [await signedIn(), await people.register('other')];
    const both = (token: string) => new ApiClient(service.url, token).with({ cookie: client.cookie ?? '' });
    const answer = await both(other.api.token ?? '').put('/account', { name: 'still other' });
    expect([answer.status, answer.body.email]).toEqual([200, other.email]);
    expect((await both('not.a.token').get('/account')).status).toBe(401);
  });
});

describe('a session that is not recent', () => {
  it('is confirmed in place by the password, and then takes over nothing without it', async () => {
    const client = await signedIn();
    await database(`UPDATE tokens SET confirmed_at = now() - interval '1 hour' WHERE token_id = $1`, [await tokenOf(client)]);
    const create = () => client.post('/account/tokens', { name: 'program' });
    await until(async () => (await create()).body.errorCode === 'RECENT_SIGN_IN_NEEDED', 3_000, 'the refusal');
    expect((await client.post('/authenticate/confirm', { password: 'a wrong password' })).status).toBe(403);
    expect((await client.post('/authenticate/confirm', { password: PASSWORD })).status).toBe(200);
    expect((await create()).status).toBe(200);
  });
});

describe('a one-time link', () => {
  const linkOf = ({ userId }: TestAccount, more = {}) => signInLink(service.database.pool, userId, more);

  it('opens one session, however many use it at once on both instances, and lets its person choose a password', async () => {
    const account = await people.register('linked');
    const link = await linkOf(account);
    const clients = [0, 1, 2, 3].map((n) => ConsoleClient.at(n % 2 === 0 ? service.url : secure.url));
    const answers = await Promise.all(clients.map((client) => client.post('/session/link', { link })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    const client = clients[answers.findIndex(({ status }) => status === 200)] ?? ConsoleClient.at(service.url);
    expect((await client.get('/session')).body).toMatchObject({ account: { email: account.email }, passwordNeeded: true });
    const { rows } = await database(
      `SELECT data::json->>'byLink' AS "byLink" FROM log WHERE scope = $1 AND type = 'TokenIssued' ORDER BY n DESC LIMIT 1`,
      [`account-${String(account.userId)}`],
    );
    expect(rows).toEqual([{ byLink: 'true' }]);
    const thief = client.copy();
    const chosen = await client.post('/session/password', { password: 'another long password' });
    expect([chosen.status, chosen.body.passwordNeeded, valueOf(client) === valueOf(thief)]).toEqual([200, false, false]);
    await ended(thief);
    expect((await client.get('/session')).body.passwordNeeded).toBe(false);
    expect((await client.post('/session/password', { password: 'a third long password' })).status).toBe(403);
    expect((await people.anonymous.post('/authenticate', { email: account.email, password: 'another long password' })).status).toBe(200);
  });

  it('is no link that was mailed for something else, has expired, or is made up, and opens no session from a page elsewhere', async () => {
    const client = ConsoleClient.at(service.url);
    const links = [
      await linkOf(owner, { purpose: 'password' }),
      await linkOf(owner, { purpose: 'confirm' }),
      await linkOf(owner, { hours: -1 }),
      'x',
    ];
    for (const link of links) expect((await client.post('/session/link', { link })).status).toBe(400);
    const link = await linkOf(owner);
    expect((await ConsoleClient.at(service.url, {}).post('/session/link', { link })).status).toBe(403);
    expect((await client.post('/session/link', { link })).status).toBe(200);
  });

  it('lets no other session choose a password without the current one', async () => {
    const client = await signedIn();
    expect((await client.post('/session/password', { password: 'another long password' })).status).toBe(403);
    expect((await owner.api.post('/session/password', { password: 'another long password' })).status).toBe(403);
  });
});

it('a change of password in the console ends every other session, and continues in this one', async () => {
  const account = await people.register('careful');
  const [client, other] = [await signedIn(account), await signedIn(account)];
  const before = client.copy();
  expect((await client.post('/account/password', { current: PASSWORD, new: 'another long password' })).status).toBe(200);
  await Promise.all([ended(other), ended(before)]);
  expect((await client.get('/account')).status).toBe(200);
});
