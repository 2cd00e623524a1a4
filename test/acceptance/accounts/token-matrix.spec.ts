import { createHmac, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiRights } from '../../../src/app/api-rights.ts';
import { ApiClient } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { ADMIN, type TestService } from '../../support/service.ts';
import { SHARED_JWT_KEY, sharedService, startBesideShared } from '../../support/shared-service.ts';
import { isRelease, thorough } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';
import { errorBody } from '../../support/error-body.ts';

/** The contract says within a second; a busy machine needs more. */
const SOON = 5_000;

let one: TestService;
/** Daily the same: `account` and `console-sessions` show that tokens and sessions end on every instance. */
let other: TestService;
let people: TestAccounts;

beforeAll(async () => {
  one = await sharedService();
  other = isRelease ? await startBesideShared() : one;
  people = new TestAccounts(one);
});
afterAll(async () => {
  if (other !== one) await other.stop();
  await people.deleteProjects();
});

const both = (token: string): readonly ApiClient[] => [...new Set([one, other])].map(({ url }) => new ApiClient(url, token));

/** One reading operation of each kind of right. */
const guardedPaths = [
  ...new Map(
    Object.entries(apiRights)
      .filter(([operation, { kind }]) => operation.startsWith('GET ') && kind !== 'public' && !/create|start/.test(operation))
      .map(([operation, right]) => [
        JSON.stringify(right),
        operation.slice('GET '.length).replace(/:\w+/g, 'f'.repeat(24)).replace('*', '000'),
      ]),
  ).values(),
];
/** For what is refused before the right is looked at. */
const somePaths = thorough(guardedPaths, ['/account', '/projects']);

async function refusedEverywhere(token: string, paths: readonly string[] = guardedPaths): Promise<void> {
  for (const api of both(token)) {
    for (const path of paths) {
      const { status, body } = await api.get(path);
      expect([path, status, body]).toEqual([path, 401, errorBody(401, expect.stringContaining('Access denied'))]);
    }
  }
}

async function refusedSoon(token: string): Promise<void> {
  for (const api of both(token)) await until(async () => (await api.get('/projects')).status === 401, SOON, 'the end of a token');
  await refusedEverywhere(token);
}

async function goodEverywhere(token: string): Promise<void> {
  for (const api of both(token)) expect((await api.get('/account')).status).toBe(200);
}

type Claims = Record<string, unknown>;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string): Claims => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
const unsigned = (header: object, claims: object): string => `${encode(header)}.${encode(claims)}`;
const signed = (
  claims: object,
  key: Buffer | string = SHARED_JWT_KEY,
  header: object = { alg: 'HS256', typ: 'JWT' },
  hash = 'sha256',
): string => {
  const text = unsigned(header, claims);
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
};
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

const personal = async ({ api }: TestAccount): Promise<string> =>
  (await api.post('/account/tokens', { name: 'program' })).body.token as string;
const login = ({ api }: TestAccount): string => api.token ?? '';
const now = (): number => Math.floor(Date.now() / 1000);

/** Tokens that an attacker with a valid token, or even with the key, may forge. */
const forged: Readonly<Record<string, (good: Claims, token: string) => string>> = {
  'another key': (good) => signed(good, randomBytes(32)),
  'the key as text': (good) => signed(good, SHARED_JWT_KEY.toString('hex')),
  'an empty key': (good) => signed(good, Buffer.alloc(0)),
  'no algorithm': (good) => `${unsigned({ alg: 'none', typ: 'JWT' }, good)}.`,
  'no algorithm, oddly spelled': (good) => `${unsigned({ alg: 'nOnE' }, good)}.`,
  'no algorithm and a good signature': (good, token) => `${unsigned({ alg: 'none' }, good)}.${token.split('.')[2] ?? ''}`,
  'a longer hash': (good) => signed(good, SHARED_JWT_KEY, { alg: 'HS512' }, 'sha512'),
  'an elliptic key of its own': (good) => {
    const header = { alg: 'ES256', jwk: ec.publicKey.export({ format: 'jwk' }) };
    const text = unsigned(header, good);
    return `${text}.${sign('sha256', Buffer.from(text), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  },
  'an RSA key of its own': (good) => {
    const text = unsigned({ alg: 'RS256' }, good);
    return `${text}.${sign('sha256', Buffer.from(text), createPrivateKey(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }))).toString('base64url')}`;
  },
  'a public key taken for a secret': (good) => signed(good, rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
  'a key that the header names': (good) => signed(good, Buffer.alloc(0), { alg: 'HS256', kid: '/dev/null', jku: 'http://127.0.0.1/keys' }),
  'changed claims': (good, token) => `${token.split('.')[0] ?? ''}.${encode({ ...good, sub: '1' })}.${token.split('.')[2] ?? ''}`,
  'no signature': (_, token) => `${token.split('.').slice(0, 2).join('.')}.`,
  'two parts': (_, token) => token.split('.').slice(0, 2).join('.'),
  'another account, correctly signed': (good) => signed({ ...good, sub: '1' }),
  'an unknown account, correctly signed': (good) => signed({ ...good, sub: '424242' }),
  'no subject': ({ sub: _, ...good }) => signed(good),
  'a subject that is a number': (good) => signed({ ...good, sub: Number(good['sub']) }),
  'a subject that is a list': (good) => signed({ ...good, sub: [good['sub']] }),
  'a subject with a zero': (good) => signed({ ...good, sub: `0${String(good['sub'])}` }),
  'a token that was never issued': (good) => signed({ ...good, tid: 'f'.repeat(24) }),
  'no token id': ({ tid: _, ...good }) => signed(good),
  'another audience': (good) => signed({ ...good, aud: 'another service' }),
  'another issuer': (good) => signed({ ...good, iss: 'another installation' }),
  'an end that is over': (good) => signed({ ...good, exp: now() - 1 }),
  'no end': ({ exp: _, ...good }) => signed(good),
  'an end that is text': (good) => signed({ ...good, exp: '9999999999' }),
  'a beginning that is to come': (good) => signed({ ...good, nbf: now() + 600 }),
  'claims that are a list': (good) => signed([good]),
};

describe('forged tokens', () => {
  let robbed: TestAccount;
  beforeAll(async () => {
    robbed = await people.register();
  });

  it('are refused by every kind of right', () => refusedEverywhere(signed(claimsOf(login(robbed)), randomBytes(32))));

  it.each(Object.entries(forged))('with %s are refused on every instance', async (_, forge) => {
    // An instance knows for a second what it answered to a token id.
    const token = await personal(robbed);
    await goodEverywhere(signed(claimsOf(token)));
    await refusedEverywhere(forge(claimsOf(token), token), somePaths);
  });
});

describe('other secrets of the service', () => {
  it('are not accepted as tokens', async () => {
    const owner = await people.register();
    const projectId = await people.project(owner, 'https://example.com');
    const badge = (await owner.api.put(`/project/${projectId}/badge`, { enabled: true })).body.url as string;
    const keys = [
      (await owner.api.get('/account')).body.apiKey as string,
      (await owner.api.get(`/project/${projectId}`)).body.apiKey as string,
      /key=(\w+)/.exec(badge)?.[1] ?? '',
      (await owner.api.put('/account/channels/webhook', { url: 'https://example.com/hook' })).body.secret as string,
      (await people.anonymous.get('/ledger/key')).text.trim(),
      PASSWORD,
      ADMIN.password,
    ];
    for (const key of keys) {
      expect(key.length).toBeGreaterThan(7);
      await refusedEverywhere(key.replaceAll(/\s/g, ''), somePaths);
    }
  });
});

describe('the end of a token', () => {
  it('comes with its expiry, for each kind of token', async () => {
    const account = await people.register();
    const brief = await people.anonymous.signIn(account.email, PASSWORD, '+1 second');
    const { token } = (await account.api.post('/account/tokens', { name: 'brief', exp: '+1 second' })).body;
    await refusedSoon(brief.token ?? '');
    await refusedSoon(token as string);
    await goodEverywhere(login(account));
  });

  it('comes with its revocation on any instance, and no other token ends', async () => {
    const account = await people.register();
    const [first, second] = [await personal(account), await personal(account)];
    await goodEverywhere(first);
    expect((await new ApiClient(other.url, second).delete(`/account/tokens/${String(claimsOf(first)['tid'])}`)).status).toBe(200);
    await refusedSoon(first);
    await goodEverywhere(second);
    await goodEverywhere(login(account));
  });

  it("comes with a new password for all tokens of the account, including the caller's", async () => {
    const [account, bystander] = await Promise.all([people.register(), people.register()]);
    const tokens = [login(account), await personal(account), (await people.anonymous.signIn(account.email, PASSWORD)).token ?? ''];
    for (const token of tokens) await goodEverywhere(token);
    const changed = await account.api.post('/account/password', { current: PASSWORD, new: 'another long password' });
    expect(changed.status).toBe(200);
    for (const token of tokens) await refusedSoon(token);
    await goodEverywhere(login(bystander));
    await goodEverywhere((await people.anonymous.signIn(account.email, 'another long password')).token ?? '');
    await expect(people.anonymous.signIn(account.email, PASSWORD)).rejects.toThrow('401');
  });

  it('comes with the deletion of the account, also after registering again', async () => {
    const account = await people.register();
    const tokens = [login(account), await personal(account)];
    expect((await new ApiClient(other.url, tokens[1] ?? '').delete('/account', { password: PASSWORD })).status).toBe(200);
    for (const token of tokens) await refusedSoon(token);
    const again = await people.anonymous.post('/account/register', { email: account.email, password: PASSWORD, name: 'again' });
    expect(again.status).toBe(200);
    for (const token of tokens) await refusedEverywhere(token);
  });

  it('withdraws a revoked system role and plan', async () => {
    const account = await people.register();
    await people.administer(account, { systemRole: 'auditor' });
    const token = await personal(account);
    for (const api of both(token)) await until(async () => (await api.get('/history?limit=1')).status === 200, SOON, 'the role');
    await people.administer(account, { systemRole: null, plan: 'free' });
    for (const api of both(token)) {
      await until(async () => (await api.get('/history?limit=1')).status === 403, SOON, 'the end of the role');
      await until(async () => (await api.get('/projects')).status === 403, SOON, 'the end of the plan');
      expect((await api.get('/account')).status).toBe(200);
    }
  });
});
