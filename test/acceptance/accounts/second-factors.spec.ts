import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stepAt, totpCode } from '../../../src/accounts/second-factors/totp.ts';
import { ApiClient, type Json } from '../../support/api-client.ts';
import { ConsoleClient, signInLink } from '../../support/console-client.ts';
import { withoutRequestId } from '../../support/error-body.ts';
import { freePort } from '../../support/free-port.ts';
import { Authenticator } from '../../support/authenticator.ts';
import { watchledger } from '../../support/command-line.ts';
import { createTestMailServer, type TestMailServer } from '../../support/servers/mail.ts';
import { refusalsOf } from '../../support/refusals.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const ORIGIN = 'https://watch.example.test';
const RP_ID = 'watch.example.test';
const env = {
  REGISTRATION: 'open',
  RATE_LIMIT: '0',
  PUBLIC_URL: ORIGIN,
  TRUST_PROXY: 'loopback',
  GUESS_LIMIT: '20',
  SECOND_FACTOR_ROLES: 'auditor',
};

let service: TestService;
let second: TestService;
let mail: TestMailServer;
let people: TestAccounts;
let other: ApiClient;
let address: { readonly url: string };
beforeAll(async () => {
  const [port, otherPort] = [await freePort(), await freePort()];
  mail = await createTestMailServer();
  const all = { ...env, SMTP_URL: mail.url };
  service = await TestService.start({ env: { ...all, PORT: String(port) } });
  second = await TestService.start({ beside: service, env: { ...all, PORT: String(otherPort) } });
  address = { url: `http://127.0.0.1:${String(port)}` };
  people = new TestAccounts({ ...address, database: service.database });
  other = new ApiClient(`http://127.0.0.1:${String(otherPort)}`);
});
afterAll(async () => {
  await second.stop();
  await service.stop();
  await mail.close();
});

interface WithApp extends TestAccount {
  readonly secret: string;
  readonly factorId: string;
  readonly recoveryCodes: readonly string[];
}

const codeAt = (secret: string, off = 0): string => totpCode(secret, stepAt(Date.now()) + off);
/** A code of another step than that with which the app was confirmed. */
const nextCode = (secret: string): string => codeAt(secret, 1);

async function withApp(): Promise<WithApp> {
  const account = await people.register();
  const { body } = await account.api.post('/account/second-factors/totp');
  const secret = body.secret as string;
  const confirmed = await account.api.post(`/account/second-factors/totp/${String(body.id)}/confirm`, {
    code: codeAt(secret),
    name: 'phone',
  });
  expect(confirmed.status).toBe(200);
  return { ...account, secret, factorId: body.id as string, recoveryCodes: confirmed.body.recoveryCodes as string[] };
}

async function withPasskey(): Promise<TestAccount & { readonly key: Authenticator; readonly recoveryCodes: readonly string[] }> {
  const account = await people.register();
  const key = new Authenticator(RP_ID, ORIGIN);
  const options = (await account.api.post('/account/second-factors/passkeys/options')).body;
  const added = await account.api.post('/account/second-factors/passkeys', { passkey: key.create(options), name: 'laptop' });
  expect(added.status).toBe(200);
  return { ...account, key, recoveryCodes: added.body.recoveryCodes as string[] };
}

const from = (address: string, api = people.anonymous): ApiClient => api.with({ 'x-forwarded-for': address });
const signIn = (email: string, more: object = {}, api = people.anonymous) =>
  api.post('/authenticate', { email, password: PASSWORD, ...more });
const eventsOf = async ({ userId }: TestAccount): Promise<readonly { type: string; data: Json }[]> =>
  (await service.database.pool.query('SELECT type, data::json AS data FROM log WHERE scope = $1 ORDER BY n', [`account-${String(userId)}`]))
    .rows;

describe('an account with an authenticator app', () => {
  it('signs in with a code that counts once, on all instances together', async () => {
    const { email, secret } = await withApp();
    const needed = await signIn(email);
    expect([needed.status, needed.body.secondFactor]).toEqual([401, { kinds: ['totp', 'recovery code'], passkey: null }]);
    const code = nextCode(secret);
    const answers = await Promise.all([0, 1, 2, 3].map((n) => signIn(email, { code }, n % 2 === 0 ? people.anonymous : other)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    expect((await signIn(email, { code })).status).toBe(401);
    expect((await signIn(email, { code: codeAt(secret, -1) })).status).toBe(401);
  });

  it('signs in to the console with the code as well, also by a one-time link, which a missing or wrong code does not use up', async () => {
    const { email, userId, secret, recoveryCodes } = await withApp();
    const byPassword = ConsoleClient.at(address.url);
    const needed = await byPassword.post('/session', { email, password: PASSWORD });
    expect([needed.status, needed.body.secondFactor, byPassword.cookie]).toEqual([
      401,
      { kinds: ['totp', 'recovery code'], passkey: null },
      null,
    ]);
    expect((await byPassword.post('/session', { email, password: PASSWORD, code: nextCode(secret) })).status).toBe(200);
    const [client, link] = [ConsoleClient.at(address.url), await signInLink(service.database.pool, userId)];
    const tried = [await client.post('/session/link', { link }), await client.post('/session/link', { link, code: '000000' })];
    expect([tried.map(({ status }) => status), client.cookie]).toEqual([[401, 401], null]);
    expect((await client.post('/session/link', { link, code: recoveryCodes[0] })).body).toMatchObject({
      passwordNeeded: true,
      factorNeeded: false,
    });
    expect((await client.post('/session/password', { password: 'another long password' })).body).toMatchObject({ passwordNeeded: false });
    expect((await client.get('/account')).status).toBe(200);
  });

  it('shows by no answer with a factor whether the password or the factor was wrong', async () => {
    const { email, secret } = await withApp();
    const wrong = [
      await signIn(email, { code: '000000' }),
      await people.anonymous.post('/authenticate', { email, password: 'a wrong password', code: nextCode(secret) }),
      await people.anonymous.post('/authenticate', { email: 'unknown@example.test', password: PASSWORD, code: '000000' }),
    ];
    const shown = wrong.map(({ status, body }) => JSON.stringify([status, withoutRequestId({ body })]));
    expect(new Set(shown).size).toBe(1);
  });

  it('pauses guesses of codes over all addresses and instances, also from its own network', async () => {
    const { email, secret, recoveryCodes } = await withApp();
    const statuses: number[] = [];
    for (let guess = 0; guess < 24; guess++) {
      const api = from(`198.51.100.${String(guess)}`, guess % 2 === 0 ? people.anonymous : other);
      statuses.push((await signIn(email, { code: String(guess).padStart(6, '0') }, api)).status);
    }
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(21);
    const right = await signIn(email, { code: nextCode(secret) });
    expect([right.status, right.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
    expect((await signIn(email, { code: recoveryCodes[0] })).status).toBe(200);
    for (const limit of ['codes', 'second_factors'] as const)
      await until(async () => (await refusalsOf(address, limit)) > 0, 5_000, `refusals of ${limit}`);
  });

  it('needs the factor for a step-up, too; the password alone suffices no longer', async () => {
    const account = await withApp();
    const { api, userId, secret, email } = account;
    const token = (await api.post('/account/tokens', { name: 'program' })).body.token as string;
    await service.database.pool.query(`UPDATE tokens SET confirmed_at = now() - interval '1 hour' WHERE user_id = $1`, [userId]);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const program = people.anonymous.as(token);
    for (const caller of [api, program]) {
      const refused = await caller.post('/account/tokens', { name: 'thief', password: PASSWORD });
      expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('second factor')]);
      expect((await caller.delete(`/account/second-factors/${account.factorId}`, { password: PASSWORD })).status).toBe(403);
    }
    expect((await api.post('/account/password', { current: PASSWORD, new: 'another long password' })).status).toBe(403);
    expect((await program.post('/authenticate/confirm', { password: PASSWORD, code: nextCode(secret) })).status).toBe(403);
    const code = nextCode(secret);
    expect((await api.post('/authenticate/confirm', { password: PASSWORD, code })).status).toBe(200);
    expect((await api.post('/account/tokens', { name: 'own' })).status).toBe(200);
    expect((await api.post('/authenticate/confirm', { password: PASSWORD })).status).toBe(403);
    expect((await program.post('/account/tokens', { name: 'thief', password: PASSWORD, code })).status).toBe(403);
    expect((await program.get('/account')).status).toBe(200);
    expect((await signIn(email, { code: account.recoveryCodes[0] })).status).toBe(200);
  });

  it('makes other sessions that showed only a password confirm again', async () => {
    const account = await people.register();
    const thief = await people.anonymous.signIn(account.email, PASSWORD);
    const { body } = await account.api.post('/account/second-factors/totp');
    const code = codeAt(body.secret as string);
    expect((await account.api.post(`/account/second-factors/totp/${String(body.id)}/confirm`, { code })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await thief.delete(`/account/second-factors/${String(body.id)}`)).status).toBe(403);
    expect((await account.api.delete(`/account/second-factors/${String(body.id)}`)).status).toBe(200);
    expect((await signIn(account.email)).status).toBe(200);
  });

  it('is enrolled once by concurrent confirmations, with one set of recovery codes', async () => {
    const account = await people.register();
    const { body } = await account.api.post('/account/second-factors/totp');
    const path = `/account/second-factors/totp/${String(body.id)}/confirm`;
    const code = codeAt(body.secret as string);
    const answers = await Promise.all(
      [people.anonymous, other, people.anonymous, other].map((api) => api.as(account.api.token).post(path, { code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    const types = (await eventsOf(account)).map(({ type }) => type);
    expect(types.filter((type) => type === 'RecoveryCodesGenerated' || type === 'SecondFactorConfirmed')).toHaveLength(2);
    const stranger = await people.register();
    expect((await stranger.api.post(path, { code: nextCode(body.secret as string) })).status).toBe(404);
  });

  it('keeps the secret and the codes out of the log and of the database in the clear', async () => {
    const account = await withApp();
    const events = JSON.stringify(await eventsOf(account));
    const rows = JSON.stringify((await service.database.pool.query('SELECT * FROM second_factor')).rows);
    const hashes = JSON.stringify((await service.database.pool.query('SELECT * FROM recovery_code')).rows);
    for (const secret of [account.secret, ...account.recoveryCodes]) {
      for (const place of [events, rows, hashes, service.log.join('\n')]) expect(place).not.toContain(secret);
    }
  });
});

describe('recovery codes', () => {
  it('count once each: of concurrent uses on two instances exactly one wins', async () => {
    const account = await withApp();
    const [code = ''] = account.recoveryCodes;
    const answers = await Promise.all([0, 1, 2, 3].map((n) => signIn(account.email, { code }, n % 2 === 0 ? people.anonymous : other)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const used = (await eventsOf(account)).filter(({ type }) => type === 'RecoveryCodeUsed');
    expect(used.map(({ data }) => data.left)).toEqual([9]);
    expect((await account.api.get('/account/second-factors')).body.recoveryCodes.left).toBe(9);
  });

  it('are void once new ones are generated, also by two instances at once', async () => {
    const { api, email, recoveryCodes } = await withApp();
    const [first, again] = await Promise.all(
      [api, other.as(api.token)].map((client) => client.post('/account/second-factors/recovery-codes')),
    );
    expect([first?.status, again?.status]).toEqual([200, 200]);
    expect((await signIn(email, { code: recoveryCodes[1] })).status).toBe(401);
    const sets = [first?.body.recoveryCodes[0], again?.body.recoveryCodes[0]] as string[];
    const statuses = [];
    for (const code of sets) statuses.push((await signIn(email, { code: code.toUpperCase().replaceAll('-', ' ') })).status);
    expect(statuses.sort()).toEqual([200, 401]);
  });

  it('do not exist without a factor', async () => {
    const { api } = await people.register();
    expect((await api.post('/account/second-factors/recovery-codes')).status).toBe(409);
  });
});

describe('a passkey', () => {
  it('is a second factor, and signs in by itself', async () => {
    const { email, key } = await withPasskey();
    const needed = await signIn(email);
    expect(needed.body.secondFactor.kinds).toEqual(['passkey', 'recovery code']);
    const passkey = key.get(needed.body.secondFactor.passkey, { verified: false });
    expect((await signIn(email, { passkey }, other)).status).toBe(200);
    expect((await signIn(email, { passkey })).status).toBe(401);
    const options = (await people.anonymous.post('/authenticate/passkey/options')).body;
    const alone = await other.post('/authenticate/passkey', { passkey: key.get(options) });
    expect(alone.status).toBe(200);
    expect((await people.anonymous.as(alone.text).get('/account')).body.email).toBe(email);
    expect((await people.anonymous.as(alone.text).post('/account/tokens', { name: 'x' })).status).toBe(200);
    const browser = ConsoleClient.at(address.url);
    const challenge = (await browser.post('/authenticate/passkey/options')).body;
    expect((await browser.post('/session/passkey', { passkey: key.get(challenge) })).body).toMatchObject({ account: { email } });
    expect((await ConsoleClient.at(address.url).post('/session/passkey', { passkey: key.get(challenge) })).status).toBe(401);
    await service.database.pool.query(`UPDATE tokens SET confirmed_at = NULL WHERE cookie_hash IS NOT NULL`);
    const confirm = (await browser.post('/authenticate/confirm/options')).body.passkey;
    expect((await browser.post('/authenticate/confirm', { passkey: key.get(confirm) })).status).toBe(200);
    expect((await browser.post('/account/tokens', { name: 'y' })).status).toBe(200);
  });

  it('is refused with the challenge of another purpose, account or site, or answered twice', async () => {
    const { email, key, api } = await withPasskey();
    const stranger = await withPasskey();
    const mine = async () => (await signIn(email)).body.secondFactor.passkey;
    const theirs = (await signIn(stranger.email)).body.secondFactor.passkey;
    const open = (await people.anonymous.post('/authenticate/passkey/options')).body;
    const confirm = (await api.post('/authenticate/confirm/options')).body.passkey;
    const refused = [
      key.get(theirs),
      key.get(open),
      key.get(confirm),
      key.get(await mine(), { origin: 'https://phishing.example.test' }),
      key.get(await mine(), { type: 'webauthn.create' }),
      stranger.key.get(await mine()),
      stranger.key.get(await mine(), { credentialId: key.id }),
      key.get({ challenge: Buffer.alloc(54).toString('base64url') }),
    ];
    for (const passkey of refused) expect((await signIn(email, { passkey }, from('203.0.113.9'))).status).toBe(401);
    const byItself = async (passkey: Json) => (await from('203.0.113.10').post('/authenticate/passkey', { passkey })).status;
    expect(await byItself(key.get(await mine()))).toBe(401);
    expect(await byItself(key.get(open, { verified: false }))).toBe(401);
    expect(await byItself(key.get(open, { userHandle: null }))).toBe(401);
    expect(await byItself(key.get(open, { userHandle: 'AAAA' }))).toBe(401);
    const once = key.get(open);
    const answers = await Promise.all([people.anonymous, other].map((client) => client.post('/authenticate/passkey', { passkey: once })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('works while strangers send passkeys that are refused', async () => {
    const { key } = await withPasskey();
    const stranger = new Authenticator(RP_ID, ORIGIN);
    const options = async () => (await people.anonymous.post('/authenticate/passkey/options')).body;
    const statuses: number[] = [];
    for (let guess = 0; guess < 25; guess++) {
      const passkey = stranger.get(await options());
      statuses.push((await from(`192.0.2.${String(Math.floor(guess / 12))}`).post('/authenticate/passkey', { passkey })).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429, ...Array<number>(10).fill(401), 429, 429, 401]);
    expect((await people.anonymous.post('/authenticate/passkey', { passkey: key.get(await options()) })).status).toBe(200);
  });

  it('with a counter that does not grow is refused, and its owner can read of it', async () => {
    const account = await withPasskey();
    const { email, key } = account;
    const answer = async (counter: number) => {
      const options = (await signIn(email)).body.secondFactor.passkey;
      return (await signIn(email, { passkey: key.get(options, { counter }) })).status;
    };
    expect([await answer(41), await answer(42), await answer(42), await answer(7), await answer(43)]).toEqual([200, 200, 401, 401, 200]);
    const noted = (await eventsOf(account)).filter(({ type }) => type === 'PasskeyCounterRegressed').map(({ data }) => data);
    expect(noted).toMatchObject([
      { known: 42, received: 42 },
      { known: 42, received: 7 },
    ]);
  });

  it('cannot be registered for two accounts, with the challenge of another, or with certificates', async () => {
    const { key } = await withPasskey();
    const { api } = await people.register();
    const stranger = await people.register();
    const options = async (client: ApiClient) => (await client.post('/account/second-factors/passkeys/options')).body;
    const add = async (passkey: Json) => (await api.post('/account/second-factors/passkeys', { passkey })).status;
    const own = new Authenticator(RP_ID, ORIGIN);
    expect(await add(own.create(await options(api), { credentialId: key.id }))).toBe(400);
    expect(await add(own.create(await options(stranger.api)))).toBe(400);
    expect(await add(own.create(await options(api), { origin: 'https://phishing.example.test' }))).toBe(400);
    const packed = new Map<string, number | Uint8Array | readonly Uint8Array[]>([
      ['alg', -7],
      ['sig', Buffer.alloc(8)],
      ['x5c', [Buffer.alloc(8)]],
    ]);
    for (const format of ['packed', 'apple', 'android-key', 'tpm', 'fido-u2f'])
      expect(await add(own.create(await options(api), { attestation: [format, packed] }))).toBe(400);
    const right = own.create(await options(api));
    expect([await add(right), await add(right)]).toEqual([200, 400]);
  });

  it('is renamed and removed by its owner alone, and removed it opens nothing', async () => {
    const { api, email, key } = await withPasskey();
    const [{ id }] = (await api.get('/account/second-factors')).body.factors;
    const stranger = await people.register();
    expect((await stranger.api.put(`/account/second-factors/${String(id)}`, { name: 'mine' })).status).toBe(404);
    expect((await stranger.api.delete(`/account/second-factors/${String(id)}`)).status).toBe(404);
    expect((await api.put(`/account/second-factors/${String(id)}`, { name: 'old laptop' })).status).toBe(200);
    expect((await api.get('/account/second-factors')).body.factors[0].name).toBe('old laptop');
    expect((await api.delete(`/account/second-factors/${String(id)}`)).status).toBe(200);
    const options = (await people.anonymous.post('/authenticate/passkey/options')).body;
    expect((await people.anonymous.post('/authenticate/passkey', { passkey: key.get(options) })).status).toBe(401);
    expect((await signIn(email)).status).toBe(200);
  });
});

describe('an account that must have a second factor', () => {
  it('can sign in and add one, and nothing else, with any token', async () => {
    const account = await people.register();
    const project = await people.project(account);
    const token = (await account.api.post('/account/tokens', { name: 'program' })).body.token as string;
    await people.administer(account, { systemRole: 'auditor' });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const api = await people.anonymous.signIn(account.email, PASSWORD);
    const program = people.anonymous.as(token);
    for (const caller of [api, program]) {
      const refused = await caller.get('/projects');
      expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('POST /account/second-factors')]);
      expect((await caller.get(`/project/${project}`)).status).toBe(403);
      expect((await caller.put('/account', { name: 'Someone' })).status).toBe(403);
      expect((await caller.post('/account/tokens', { name: 'x', password: PASSWORD })).status).toBe(403);
      expect((await caller.get('/account/second-factors')).body).toMatchObject({ factors: [], recoveryCodes: null, required: true });
    }
    const { body } = await api.post('/account/second-factors/totp');
    const code = codeAt(body.secret as string);
    expect((await api.post(`/account/second-factors/totp/${String(body.id)}/confirm`, { code })).status).toBe(200);
    for (const caller of [api, program]) expect((await caller.get(`/project/${project}`)).status).toBe(200);
    expect((await api.delete(`/account/second-factors/${String(body.id)}`)).status).toBe(200);
    expect((await api.get('/projects')).status).toBe(403);
    await service.database.pool.query(`UPDATE tokens SET second_factor = 'provider' WHERE user_id = $1 AND kind = 'login'`, [
      account.userId,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect([(await api.get('/projects')).status, (await program.get('/projects')).status]).toEqual([200, 403]);
  });
});

describe('the operator', () => {
  it('removes the factors of an owner who lost them, for a reason of which the owner is notified', async () => {
    const account = await withApp();
    const run = (...args: readonly string[]) =>
      watchledger({ DATABASE_URL: service.database.url, MASTER_KEY: service.masterKey }, 'accounts', 'remove-factors', ...args).ran;
    expect((await run(account.email)).status).toBe(2);
    const { status, out } = await run(account.email, '--reason', 'showed a passport');
    expect([status, out.trim()]).toEqual([0, 'Second factors removed: 1']);
    expect((await signIn(account.email)).status).toBe(200);
    expect((await signIn(account.email, { code: account.recoveryCodes[0] })).status).toBe(200);
    const removed = (await eventsOf(account)).find(({ type }) => type === 'SecondFactorRemoved');
    expect(removed?.data).toMatchObject({ kind: 'totp', by: 'administrator', reason: { sealed: expect.any(String) } });
    const notified = async () => {
      const { rows } = await service.database.pool.query<{ about: string }>(
        `SELECT facts::json ->> 'about' AS about FROM notification_intent WHERE user_id = $1 AND kind = 'notice'`,
        [account.userId],
      );
      return ['factor added', 'factor removed', 'recovery codes'].every((about) => rows.some((row) => row.about === about));
    };
    await until(notified, 30_000, 'notices of every change');
  });
});
