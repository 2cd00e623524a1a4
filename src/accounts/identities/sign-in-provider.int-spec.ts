import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ForgingProvider, newSigningKey, signedToken, type SigningKey } from '../../../test/support/servers/forging-provider.ts';
import type { SignInProviderConfig } from '../../platform/config/sign-in-provider.ts';
import { ProviderSignInRefused, SignInProvider, SignInProviderUnavailable } from './sign-in-provider.ts';

let forger: ForgingProvider;
let provider: SignInProvider;
const otherKey = newSigningKey('other');
const checks = { state: 'the-state', nonce: 'the-nonce', codeVerifier: 'v'.repeat(43), isFresh: false };
const seconds = (offset = 0): number => Math.floor(Date.now() / 1000) + offset;

beforeAll(async () => {
  forger = await ForgingProvider.start();
});
afterAll(() => forger.close());
beforeEach(() => {
  forger.metadata = {};
  forger.instead.clear();
  forger.userInfo = { sub: 'ada' };
  provider = new SignInProvider(configOf(forger.issuer), 'https://watch.example/api/authenticate/provider/callback');
});

const configOf = (issuer: string): SignInProviderConfig => ({
  ...{ issuer, clientId: 'watchledger', clientSecret: 'secret', scopes: 'openid email', name: 'Login' },
  ...{ groupsClaim: 'groups', verifiedClaim: 'email_verified', domains: [], opensAccounts: false },
  roles: [
    { group: 'ops', role: 'admin' },
    { group: 'audit', role: 'auditor' },
  ],
});

const honest = (): Record<string, unknown> => ({
  ...{ iss: forger.issuer, aud: 'watchledger', sub: 'ada', nonce: checks.nonce, iat: seconds(), exp: seconds(60) },
  ...{ email: 'ada@example.com', email_verified: true, name: 'Ada', groups: ['staff'] },
});

const firstKey = (): SigningKey => forger.published[0] ?? otherKey;

function identify(claims: object, query: Record<string, string> = {}, { key = firstKey(), given = checks, startedAt = Date.now() } = {}) {
  forger.idToken = () => signedToken(key, claims);
  const parameters = new URLSearchParams({ code: 'the-code', state: checks.state, iss: forger.issuer, ...query });
  return provider.identify(parameters, given, startedAt);
}

describe('an answer of the provider', () => {
  it('names the person by the claims of a signed token', async () => {
    expect(await identify(honest())).toEqual({
      ...{ issuer: forger.issuer, subject: 'ada', email: 'ada@example.com', isEmailVerified: true, name: 'Ada' },
      ...{ role: null, authenticatedAt: null },
    });
  });

  const forged: Readonly<Record<string, () => Record<string, unknown>>> = {
    'for another client': () => ({ ...honest(), aud: 'another' }),
    'for several clients, authorised for another': () => ({ ...honest(), aud: ['watchledger', 'another'], azp: 'another' }),
    'of another sign-in': () => ({ ...honest(), nonce: 'another' }),
    'without a nonce': () => ({ ...honest(), nonce: undefined }),
    'of another issuer': () => ({ ...honest(), iss: 'https://evil.example' }),
    'that has expired': () => ({ ...honest(), exp: seconds(-120) }),
    'that is valid later': () => ({ ...honest(), nbf: seconds(300) }),
    'without a subject': () => ({ ...honest(), sub: undefined }),
  };

  it.each(Object.entries(forged))('is refused with a token %s', async (_, claims) => {
    await expect(identify(claims())).rejects.toThrow(ProviderSignInRefused);
  });

  it('is refused with a token that another key has signed', async () => {
    await expect(identify(honest(), {}, { key: { ...otherKey, kid: 'first' } })).rejects.toThrow();
    await expect(identify(honest(), {}, { key: otherKey })).rejects.toThrow();
  });

  it('is refused without a signature', async () => {
    forger.idToken = () =>
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(honest())).toString('base64url')}.`;
    const parameters = new URLSearchParams({ code: 'the-code', state: checks.state, iss: forger.issuer });
    await expect(provider.identify(parameters, checks, Date.now())).rejects.toThrow();
  });

  it.each([
    ['names another issuer', { iss: 'https://evil.example' }],
    ['belongs to another sign-in', { state: 'another' }],
    ['is an error', { error: 'access_denied' }],
  ])('is refused when it %s, and no code is sent', async (_, query: Record<string, string>) => {
    forger.asked.length = 0;
    await expect(identify(honest(), query)).rejects.toThrow(ProviderSignInRefused);
    expect(forger.asked).not.toContain('/token');
  });

  it('is accepted from a clock that is a little off', async () => {
    expect(await identify({ ...honest(), iat: seconds(20), nbf: seconds(20), exp: seconds(-20) })).toMatchObject({ subject: 'ada' });
  });

  it('is completed from the user info endpoint, whose address counts only as the endpoint verifies it', async () => {
    const { email: _, email_verified: __, ...signed } = honest();
    forger.userInfo = { sub: 'ada', email: 'ada@example.com', email_verified: 'true', groups: 'ops' };
    expect(await identify(signed)).toMatchObject({ email: 'ada@example.com', isEmailVerified: true, role: null });
    forger.userInfo = { sub: 'ada', email: 'other@example.com', email_verified: false };
    expect(await identify({ ...signed, email: 'ada@example.com' })).toMatchObject({ email: 'ada@example.com', isEmailVerified: false });
    forger.userInfo = { sub: 'eve', email: 'ada@example.com', email_verified: true };
    await expect(identify(signed)).rejects.toThrow(ProviderSignInRefused);
  });

  it('gives the role of the first group in the order of the mapping', async () => {
    expect(await identify({ ...honest(), groups: ['audit', 'ops'] })).toMatchObject({ role: 'admin' });
    expect(await identify({ ...honest(), groups: 'audit' })).toMatchObject({ role: 'auditor' });
    expect(await identify({ ...honest(), groups: { ops: true } })).toMatchObject({ role: null });
  });

  it('has no address that differs from another only in how it is folded', async () => {
    expect(await identify({ ...honest(), email: 'mi\u212ae@example.com' })).toMatchObject({ email: null });
  });
});

describe('a re-authentication', () => {
  const fresh = { ...checks, isFresh: true };

  it('asks the provider to ask the person', async () => {
    const url = new URL(await provider.authorizationUrl(fresh));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ prompt: 'login', max_age: '0', code_challenge_method: 'S256' });
  });

  it('needs a sign-in at the provider that is younger than the question', async () => {
    const at = seconds(-1);
    expect(await identify({ ...honest(), auth_time: at }, {}, { given: fresh })).toMatchObject({ authenticatedAt: new Date(at * 1000) });
    await expect(identify({ ...honest(), auth_time: seconds(-600) }, {}, { given: fresh })).rejects.toThrow('did not ask');
    await expect(identify(honest(), {}, { given: fresh })).rejects.toThrow('auth_time');
  });
});

describe('keys of the provider', () => {
  it('take effect at once when they are rotated', async () => {
    await identify(honest());
    const next = newSigningKey('next');
    forger.published = [next];
    expect(await identify(honest(), {}, { key: next })).toMatchObject({ subject: 'ada' });
    await expect(identify(honest(), {}, { key: otherKey })).rejects.toThrow();
  });
});

describe('a provider that does not work', () => {
  const away: Readonly<Record<string, () => void>> = {
    'answers with an error': () =>
      forger.instead.set('/.well-known/openid-configuration', (_, response) => void response.writeHead(500).end()),
    'calls itself otherwise': () => (forger.metadata = { issuer: 'https://evil.example' }),
    'leads elsewhere': () =>
      forger.instead.set(
        '/.well-known/openid-configuration',
        (_, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      ),
    'answers without end': () =>
      forger.instead.set('/.well-known/openid-configuration', (_, response) => {
        response.setHeader('content-type', 'application/json');
        const write = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', write);
        write();
      }),
  };

  it.each(Object.entries(away))('and %s is unavailable, and asked again by the next sign-in', async (_, harm) => {
    harm();
    await expect(provider.authorizationUrl(checks)).rejects.toThrow(SignInProviderUnavailable);
    forger.instead.clear();
    forger.metadata = {};
    expect(await provider.authorizationUrl(checks)).toContain(forger.issuer);
  });

  it('holds a sign-in for a bounded time', async () => {
    forger.instead.set('/token', () => undefined);
    await expect(identify(honest())).rejects.toThrow(SignInProviderUnavailable);
  });
});
