import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OWN_PAGE } from '../../support/console-client.ts';
import { ApiClient } from '../../support/api-client.ts';
import { Browser, type Page } from '../../support/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { CLIENT, LoginProvider } from '../../support/servers/login-provider.ts';
import { PASSWORD, TestAccounts } from '../../support/test-accounts.ts';
import { isRelease } from '../../support/thorough.ts';

let provider: LoginProvider;
let service: TestService;
/** Daily the same: `account` and `second-factors` show that sessions and codes hold on all instances. */
let other: TestService;
let people: TestAccounts;

beforeAll(async () => {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${String(port)}`;
  provider = await LoginProvider.start(`${publicUrl}/api/authenticate/provider/callback`);
  const env = {
    ...{ REGISTRATION: 'open', RATE_LIMIT: '0', PUBLIC_URL: publicUrl, OIDC_ISSUER: provider.issuer, OIDC_NAME: 'Example login' },
    ...{ OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret, OIDC_SCOPES: 'openid email profile groups' },
    ...{ OIDC_ROLES: 'ops=admin,audit=auditor', OIDC_DOMAINS: 'corp.test', OIDC_REGISTRATION: 'open' },
  };
  // The provider is away while the service starts.
  provider.stop();
  service = await TestService.start({ env: { ...env, PORT: String(port) } });
  other = isRelease ? await TestService.start({ beside: service, env }) : service;
  people = new TestAccounts(service);
});
afterAll(async () => {
  if (other !== service) await other.stop();
  await service.stop();
  await provider.close();
});

let browser: Browser;
beforeEach(() => {
  browser = new Browser();
});

const begin = (query = 'returnTo=/console'): string => `${service.url}/api/authenticate/provider?${query}`;
const at = (path: string, on: TestService = service): string => `${on.url}/api/authenticate/provider${path}`;
const isConsole = (url: string): boolean => new URL(url).pathname === '/console';
const isCallback = (url: string): boolean => new URL(url).pathname.endsWith('/callback');
const codeIn = ({ url }: Page): string => /#code=([\w-]{43})$/.exec(url)?.[1] ?? `no code in ${url}`;
const newAddress = (domain = 'example.test'): string => `person-${randomBytes(6).toString('hex')}@${domain}`;
const message = ({ text }: { readonly text: string }): string => (JSON.parse(text) as { readonly message: string }).message;

async function signIn(query?: string): Promise<ApiClient> {
  const ended = await browser.open(begin(query), isConsole);
  const answer = await browser.post(at('/token'), { code: codeIn(ended) });
  if (answer.status !== 200) throw new Error(`exchanging was answered ${String(answer.status)} ${answer.text}`);
  return new ApiClient(service.url, answer.text);
}

async function refusedPage(): Promise<string> {
  const page = await browser.open(begin());
  expect(page.headers.get('content-type')).toContain('text/html');
  return `${String(page.status)} ${page.text}`;
}

describe('while the provider is away', () => {
  it('a sign-in is 503, passwords go on, and the next sign-in finds it again', async () => {
    const answer = await people.anonymous.get('/authenticate/provider?returnTo=/console');
    expect(answer).toMatchObject({ status: 503, body: { message: expect.stringContaining('Example login') } });
    expect(answer.headers.get('retry-after')).toBe('5');
    await people.admin();
    provider.rotateKeys();
    provider.add({ sub: 'first', email: newAddress() });
    expect((await (await signIn()).get('/account')).status).toBe(200);
  });
});

describe('signing in', () => {
  it('opens an account with a verified address, and the token is a session like any other', async () => {
    const email = newAddress();
    provider.add({ sub: email, email, name: 'Grace' });
    const api = await signIn();
    expect((await api.get('/authenticate')).body).toMatchObject({ name: 'Grace', email });
    expect((await api.get('/account/tokens')).body).toEqual([
      expect.objectContaining({ kind: 'login', current: true, address: '127.0.0.1' }),
    ]);
    expect((await api.get('/account/identities')).body).toEqual([expect.objectContaining({ issuer: provider.issuer, subject: email })]);
    expect(browser.visited.filter((url) => url.includes('#'))).toEqual([]);
    await api.delete('/authenticate');
    expect((await api.get('/account')).status).toBe(401);
    // The same person, by the subject, whatever the address is now.
    provider.add({ sub: email, email: newAddress(), email_verified: false });
    expect((await (await signIn()).get('/authenticate')).body).toMatchObject({ email });
    provider.rotateKeys();
    expect((await (await signIn()).get('/authenticate')).body).toMatchObject({ email });
  });

  it('opens a session of the console, once, and for a page of the console alone', async () => {
    const email = newAddress();
    provider.add({ sub: email, email });
    const code = codeIn(await browser.open(begin(), isConsole));
    const session = `${service.url}/api/session`;
    expect((await browser.post(`${session}/provider`, { code })).status).toBe(403);
    const opened = await browser.post(`${session}/provider`, { code }, OWN_PAGE);
    expect([opened.status, JSON.parse(opened.text)]).toMatchObject([200, { account: { email }, passwordNeeded: false }]);
    expect((await browser.post(`${session}/provider`, { code }, OWN_PAGE)).status).toBe(403);
    expect(await browser.open(session)).toMatchObject({ status: 200, text: expect.stringContaining(email) });
  });

  it('gives a program its token for the code that a person types and the verifier that only it knows', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const page = await browser.open(begin(`challenge=${createHash('sha256').update(verifier).digest('base64url')}`));
    const code = /<code>([\w-]+)<\/code>/.exec(page.text)?.[1] ?? '';
    const answer = await people.anonymous
      .with({ accept: 'application/json' })
      .post('/authenticate/provider/token', { code, verifier, exp: '+2 hours' });
    expect(answer).toMatchObject({ status: 200, body: { token: expect.any(String) } });
  });

  if (isRelease)
    it('may begin, end and be exchanged on different instances', async () => {
      const callback = await browser.open(begin(), isCallback);
      const cookie = [...browser.cookiesOf(service.url)].map(([name, value]) => `${name}=${value}`).join('; ');
      const ended = await fetch(callback.url.replace(service.url, other.url), { redirect: 'manual', headers: { cookie } });
      expect(ended.status).toBe(302);
      const secret =
        ended.headers
          .getSetCookie()
          .find((line) => !line.includes('Max-Age=0'))
          ?.split(';')[0] ?? '';
      const code = codeIn({ url: ended.headers.get('location') ?? '' } as Page);
      const body = JSON.stringify({ code });
      const answer = await fetch(at('/token'), { method: 'POST', body, headers: { 'content-type': 'application/json', cookie: secret } });
      expect(answer.status).toBe(200);
    });
});

describe('a callback', () => {
  it.each(['', '?code=x', '?code=x&state=y', '?error=access_denied&state=y', '?code=x&state=y&state=z'])(
    'that was made up (%s) is refused',
    async (query) => {
      const answer = await people.anonymous.get(`/authenticate/provider/callback${query}`);
      expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining('not begun in this browser') } });
    },
  );

  it('of another browser is refused, so that no victim is signed in to an account of others', async () => {
    const stolen = await browser.open(begin(), isCallback);
    expect((await new Browser().open(stolen.url)).status).toBe(403);
    const own = new Browser();
    await own.open(begin(), isCallback);
    expect((await own.open(stolen.url)).status).toBe(403);
    expect((await browser.open(stolen.url, isConsole)).status).toBe(302);
  });

  it('is worth nothing when it is replayed, with its cookie too', async () => {
    const callback = await browser.open(begin(), isCallback);
    const cookie = [...browser.cookiesOf(service.url)].map(([name, value]) => `${name}=${value}`).join('; ');
    const replay = (on: TestService) => fetch(callback.url.replace(service.url, on.url), { redirect: 'manual', headers: { cookie } });
    expect((await replay(service)).status).toBe(302);
    for (const on of [service, other]) expect((await replay(on)).status).toBe(403);
  });

  it('with the code of another sign-in, or of another issuer, is refused', async () => {
    const first = new URL((await browser.open(begin(), isCallback)).url);
    const second = new URL((await browser.open(begin(), isCallback)).url);
    second.searchParams.set('code', first.searchParams.get('code') ?? '');
    expect((await browser.open(second.href)).status).toBe(403);
    const third = new URL((await browser.open(begin(), isCallback)).url);
    third.searchParams.set('iss', 'https://evil.example');
    expect((await browser.open(third.href)).status).toBe(403);
    const fourth = new URL((await browser.open(begin(), isCallback)).url);
    fourth.searchParams.delete('iss');
    expect((await browser.open(fourth.href)).status).toBe(403);
  });
});

describe('a one-time code', () => {
  it('works once, and in the browser that began', async () => {
    const ended = await browser.open(begin(), isConsole);
    const code = codeIn(ended);
    const stranger = await new Browser().post(at('/token'), { code });
    expect([stranger.status, message(stranger)]).toEqual([403, expect.stringContaining('begun elsewhere')]);
    // A try with the wrong secret has used it up.
    expect((await browser.post(at('/token'), { code })).status).toBe(403);
    const again = codeIn(await browser.open(begin(), isConsole));
    expect((await browser.post(at('/token'), { code: again })).status).toBe(200);
    expect((await browser.post(at('/token'), { code: again })).status).toBe(403);
  });

  it('of a program is worth nothing without its verifier', async () => {
    const page = await browser.open(begin(`challenge=${'A'.repeat(43)}`));
    const code = /<code>([\w-]+)<\/code>/.exec(page.text)?.[1] ?? '';
    expect((await browser.post(at('/token'), { code, verifier: 'a guess' })).status).toBe(403);
  });

  it('is led to no other site', async () => {
    for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', '/%09/../\t/evil', '/a#b', 'console', '']) {
      const answer = await people.anonymous.get(`/authenticate/provider?returnTo=${encodeURIComponent(path)}`);
      expect([path, answer.status]).toEqual([path, 400]);
    }
    expect((await people.anonymous.get('/authenticate/provider')).status).toBe(400);
    const both = await people.anonymous.get(`/authenticate/provider?returnTo=/&challenge=${'A'.repeat(43)}`);
    expect(both.status).toBe(400);
  });
});

describe('an existing account', () => {
  it('is linked by an address that both sides have verified', async () => {
    const account = await people.register();
    provider.add({ sub: account.email, email: account.email.toUpperCase(), email_verified: true });
    expect((await (await signIn()).get('/authenticate')).body).toMatchObject({ id: account.userId });
  });

  it('is not taken over with an address that the provider has not verified', async () => {
    const account = await people.register();
    provider.add({ sub: `thief-${account.email}`, email: account.email, email_verified: false });
    expect(await refusedPage()).toMatch(/^403 .*has verified your e-mail address/s);
  });

  it('is not taken over by an account that registered the address and never confirmed it', async () => {
    const account = await people.registerUnconfirmed();
    provider.add({ sub: account.email, email: account.email });
    expect(await refusedPage()).toMatch(/^403 .*not confirmed/s);
  });

  it('is not taken over by the next owner of the address', async () => {
    const email = newAddress();
    provider.add({ sub: `first-${email}`, email });
    await signIn();
    provider.add({ sub: `second-${email}`, email });
    browser = new Browser();
    expect(await refusedPage()).toMatch(/^403 .*another person/s);
  });

  it('is unlinked by its owner after a confirmation, and erased with what the provider said of it', async () => {
    const email = newAddress();
    provider.add({ sub: `subject-of-${email}`, email, groups: ['audit'] });
    const api = await signIn();
    const [{ id }] = (await api.get('/account/identities')).body as readonly [{ id: string }];
    expect((await api.delete(`/account/identities/${id}`)).status).toBe(403);
    await confirm(api);
    expect((await api.get('/account')).body.systemRole).toBe('auditor');
    expect((await api.delete(`/account/identities/${id}`)).status).toBe(200);
    expect((await api.get('/account/identities')).body).toEqual([]);
    expect((await api.get('/account')).body.systemRole).toBeNull();
    expect((await api.delete(`/account/identities/${id}`)).status).toBe(404);
    const again = await signIn();
    const before = (await again.get('/authenticate')).body.id as number;
    expect((await again.delete('/account')).status).toBe(403);
    await confirm(again);
    expect((await again.delete('/account')).status).toBe(200);
    expect((await again.get('/account')).status).toBe(401);
    const { rows } = await service.database.pool.query<{ data: string }>('SELECT data::text AS data FROM log WHERE scope = $1', [
      `account-${String(before)}`,
    ]);
    expect(rows.map(({ data }) => data).join()).not.toContain('subject-of-');
    // The address is free, and a new account has another number.
    expect((await (await signIn()).get('/authenticate')).body.id).not.toBe(before);
  });
});

async function confirm(api: ApiClient): Promise<void> {
  const code = codeIn(await browser.open(begin('returnTo=/console&confirm=true'), isConsole));
  const answer = await browser.post(at('/confirm'), { code }, { authorization: `Bearer ${api.token ?? ''}` });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
}

describe('a confirmation', () => {
  it('makes a session recent, and is of no use to others', async () => {
    const email = newAddress();
    provider.add({ sub: email, email });
    const api = await signIn();
    // The provider did not say when this person signed in there.
    expect((await api.post('/account/tokens', { name: 'x' })).status).toBe(403);
    const stranger = await people.register();
    const stolen = codeIn(await browser.open(begin('returnTo=/console&confirm=true'), isConsole));
    const theft = await browser.post(at('/confirm'), { code: stolen }, { authorization: `Bearer ${stranger.api.token ?? ''}` });
    expect(theft.status).toBe(403);
    // A code that confirms is not one that signs in.
    const confirming = codeIn(await browser.open(begin('returnTo=/console&confirm=true'), isConsole));
    expect((await browser.post(at('/token'), { code: confirming })).status).toBe(403);
    await confirm(api);
    const made = await api.post('/account/tokens', { name: 'x' });
    expect(made.status).toBe(200);
    const code = codeIn(await browser.open(begin('returnTo=/console&confirm=true'), isConsole));
    const personal = await browser.post(at('/confirm'), { code }, { authorization: `Bearer ${String(made.body.token)}` });
    expect([personal.status, message(personal)]).toEqual([403, expect.stringContaining('login token')]);
  });
});

describe('system roles', () => {
  it('come and go with groups at each sign-in, for all tokens at once, and those granted by hand stay', async () => {
    const email = newAddress();
    provider.add({ sub: email, email, groups: ['staff', 'ops'] });
    const api = await signIn();
    expect((await api.get('/accounts?limit=1')).status).toBe(200);
    provider.add({ sub: email, email, groups: ['staff'] });
    await signIn();
    expect((await api.get('/accounts?limit=1')).status).toBe(403);
    const { id: userId } = (await api.get('/authenticate')).body as { readonly id: number };
    await people.administer({ userId, email, api }, { systemRole: 'auditor' });
    provider.add({ sub: email, email, groups: ['ops'] });
    await signIn();
    expect((await api.get('/account')).body.systemRole).toBe('auditor');
    const { rows } = await service.database.pool.query<{ data: string }>(
      `SELECT data::text AS data FROM log WHERE scope = $1 AND type = 'SystemRoleChanged' ORDER BY n`,
      [`account-${String(userId)}`],
    );
    expect(rows.map(({ data }) => JSON.parse(data) as object)).toEqual([
      { from: null, to: 'admin', by: 'provider' },
      { from: 'admin', to: null, by: 'provider' },
      { from: null, to: 'auditor' },
    ]);
  });
});

describe('a domain that is forced to the provider', () => {
  it('has no passwords: not to sign in, register, reset, change or confirm with', async () => {
    const email = newAddress('corp.test');
    provider.add({ sub: email, email });
    const api = await signIn();
    const refused = { status: 403, body: { message: expect.stringContaining('sign in through Example login') } };
    for (const address of [email, newAddress('corp.test'), ` ${email.toUpperCase()}`])
      expect(await people.anonymous.post('/authenticate', { email: address, password: PASSWORD })).toMatchObject(refused);
    expect(await people.anonymous.post('/account/register', { email, password: PASSWORD, name: 'x' })).toMatchObject(refused);
    expect(await people.anonymous.post('/account/password/reset', { email })).toMatchObject(refused);
    expect(await api.post('/account/password', { current: PASSWORD, new: 'another long password' })).toMatchObject(refused);
    expect(await api.delete('/account', { password: PASSWORD })).toMatchObject(refused);
    await people.anonymous.signIn(ADMIN.email, ADMIN.password);
  });
});

describe('the operator', () => {
  it('sees sign-ins by kind and result', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    expect(text).toMatch(/^watchledger_sign_ins_total\{kind="provider",result="ok"\} [1-9]/m);
    expect(text).toMatch(/^watchledger_sign_ins_total\{kind="provider",result="unavailable"\} [1-9]/m);
  });

  it('finds no code, token or secret in the log', () => {
    const log = [...service.log, ...other.log].join('\n');
    expect(log.replaceAll(/(code|state)=\*{3}/g, '')).not.toMatch(/code=|state=/);
    expect(log).not.toContain(CLIENT.secret);
  });
});
