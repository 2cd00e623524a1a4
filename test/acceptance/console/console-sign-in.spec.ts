import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { stepAt, totpCode } from '../../../src/accounts/second-factors/totp.ts';
import { leaveChromium } from '../../support/chromium.ts';
import { ConsolePage } from '../../support/console-page.ts';
import { freePort } from '../../support/free-port.ts';
import { CLIENT, LoginProvider } from '../../support/servers/login-provider.ts';
import { TestService } from '../../support/service.ts';
import { PASSWORD, type TestAccount, TestAccounts } from '../../support/test-accounts.ts';

let provider: LoginProvider;
let service: TestService;
let people: TestAccounts;
let base: string;
let page: ConsolePage;

beforeAll(async () => {
  const port = String(await freePort());
  // Browsers make passkeys for a name only.
  base = `http://localhost:${port}`;
  provider = await LoginProvider.start(`${base}/api/authenticate/provider/callback`);
  service = await TestService.start({
    env: {
      ...{ PORT: port, PUBLIC_URL: base, REGISTRATION: 'open', RATE_LIMIT: '0', SECOND_FACTOR_ROLES: 'auditor' },
      ...{ OIDC_ISSUER: provider.issuer, OIDC_NAME: 'Example login', OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
      ...{ OIDC_REGISTRATION: 'open' },
    },
  });
  people = new TestAccounts(service);
});
afterAll(async () => {
  await leaveChromium();
  await service.stop();
  await provider.close();
});
beforeEach(async () => {
  page = await ConsolePage.open(base);
});
afterEach(async () => {
  await page.signOut();
  expect(page.errors).toEqual([]);
  await page.close();
});

const factorsOf = async ({ api }: TestAccount): Promise<unknown> => (await api.get('/account/second-factors')).body;

describe('passkeys', () => {
  it('one is made in the console, signs in alone, and is the second factor after the password', async () => {
    const ada = await people.register('ada');
    await page.plugInAuthenticator();
    await page.signIn(ada.email, PASSWORD);
    await page.go('/console/administration');
    await page.choose('Add a passkey');
    await page.type('input[name=passkey-name]', 'laptop');
    await page.choose('Make the passkey');
    await page.sees('Keep these recovery codes');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('I have kept them');
    await page.sees('10 recovery codes left');
    expect(await factorsOf(ada)).toMatchObject({ factors: [{ kind: 'passkey', name: 'laptop' }] });

    await page.signOut();
    await page.choose('Sign in with a passkey');
    await page.present('.header');
    await page.sees(ada.email);

    await page.signOut();
    await page.type('input[name=email]', ada.email);
    await page.type('input[name=password]', PASSWORD);
    await page.press('Enter');
    await page.choose('Use your passkey');
    await page.present('.header');
  });

  it('says that there is none on a machine without one, and leaves the password', async () => {
    await page.plugInAuthenticator();
    await page.choose('Sign in with a passkey');
    await page.present('input[name=email]');
    const ben = await people.register('ben');
    await page.signIn(ben.email, PASSWORD);
  });
});

it('takes the page away before the sign-out is answered: what it asked for meanwhile would be refused', async () => {
  const carl = await people.register('carl');
  await page.signIn(carl.email, PASSWORD);
  // The focus is on the page as a whole, around which a line would be stray.
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('none');
  const release = await page.hold('/api/session', 'DELETE');
  await page.go('/console');
  await page.choose('Account menu of');
  await page.choose('Sign out');
  await page.absent('.header');
  expect(await page.evaluate("document.querySelector('input[name=email]')")).toBeNull();
  await release();
  await page.signIn(carl.email, PASSWORD);
});

it('asks in words of its own to confirm a sign-in that is too old for what is wanted', async () => {
  const dora = await people.register('dora');
  await page.signIn(dora.email, PASSWORD);
  const old = `UPDATE tokens SET issued_at = issued_at - interval '1 day', confirmed_at = confirmed_at - interval '1 day' WHERE user_id = $1`;
  await service.database.pool.query(old, [dora.userId]);
  // A principal is known for a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await page.go('/console/administration');
  await page.choose('Add an authenticator');
  await page.choose('Show the secret');
  await page.present('input[name=own-password]');
  await page.sees('Your last sign-in is too long ago for this. Type your password to confirm it.');
  expect(await page.text()).not.toContain('POST /');
  await page.type('input[name=own-password]', PASSWORD);
  await page.choose('Show the secret');
  await page.present('input[name=totp-code]');
});

describe('an account that must have a second factor', () => {
  it('is led to add an authenticator, and signs in by its codes', async () => {
    const auditor = await people.register('auditor');
    await people.administer(auditor, { systemRole: 'auditor' });
    await page.type('input[name=email]', auditor.email);
    await page.type('input[name=password]', PASSWORD);
    await page.press('Enter');
    await page.sees('Your account needs a second factor.');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.choose('Add an authenticator');
    await page.choose('Show the secret');
    await page.present('input[name=totp-code]');
    const secret = String(await page.evaluate("document.querySelector('form .mono').textContent"));
    await page.type('input[name=totp-code]', '000000');
    await page.choose('Put it in force');
    await page.present('.problem[role=alert]');
    await page.evaluate("document.querySelector('input[name=totp-code]').select()");
    await page.type('input[name=totp-code]', totpCode(secret, stepAt(Date.now())));
    await page.choose('Put it in force');
    await page.choose('I have kept them');
    await page.sees('Auditors add no sites: those of other people appear here.');
    await page.absent('input[name=url]');
    await page.go('/console/status-pages/new');
    await page.sees('Your role makes no status pages; admins of a site do.');
    await page.absent('input[name=page-title]');
  });
});

describe('a status page for members', () => {
  const enter = async ({ email }: TestAccount): Promise<void> => {
    await page.type('input[name=email]', email);
    await page.type('input[name=password]', PASSWORD);
    await page.press('Enter');
  };

  it('leads to the sign-in and is shown after it', async () => {
    const owner = await people.register('owner');
    const item = { name: 'Shop', project: await people.project(owner) };
    const settings = { slug: 'team', title: 'For the team', access: 'members', groups: [{ name: '', items: [item] }] };
    expect((await owner.api.post('/status-pages', settings)).status).toBe(200);
    await page.go('/status/team?lang=de');
    await page.choose('Anmelden');
    await enter(owner);
    await page.sees('For the team');
    expect(await page.path()).toBe('/status/team?lang=de');
    await page.go('/console');
  });

  let fay: TestAccount;
  beforeAll(async () => {
    fay = await people.register('fay');
  });
  it.each(['//evil.example/status/team', '/\\evil.example', 'https://evil.example/status/team', '/status/\t/evil.example', '/api/account'])(
    'is the only place to which the sign-in leads back: not %j',
    async (hostile) => {
      await page.go(`/console?returnTo=${encodeURIComponent(hostile)}`);
      await enter(fay);
      await page.sees('Nothing is watched yet.');
      expect(await page.evaluate('location.origin + location.pathname')).toBe(`${base}/console`);
    },
  );
});

describe('the sign-in provider', () => {
  it('signs in, and leads back to the page that was asked for', async () => {
    provider.add({ sub: 'eva', email: 'eva@corp.test' });
    await page.go('/console/administration');
    await page.choose('Sign in with Example login');
    await page.sees('eva@corp.test');
    expect(await page.path()).toBe('/console/administration');
    expect(await page.evaluate('location.hash')).toBe('');
  });
});
