import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts } from '../../support/test-accounts.ts';
import { ADMIN, type TestService } from '../../support/service.ts';
import { SHARED_JWT_KEY, sharedService, startBesideShared } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';
import { errorBody, withoutRequestId } from '../../support/error-body.ts';

let service: TestService;
let other: TestService;
let people: TestAccounts;
beforeAll(async () => {
  service = await sharedService();
  other = await startBesideShared();
  people = new TestAccounts(service);
});
afterAll(async () => {
  await other.stop();
  await people.deleteProjects();
});

const denied = errorBody(401, expect.stringContaining('Access denied'));
const credentials = { email: ADMIN.email, password: ADMIN.password };
const part = (token: string, index: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString()) as Record<string, unknown>;
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = (header: object, claims: object, key: Buffer | string = SHARED_JWT_KEY, hash = 'sha256'): string => {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
};

describe('POST /authenticate', () => {
  it('answers the bare token as text, valid for an hour', async () => {
    const answer = await people.anonymous.post('/authenticate', credentials);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const claims = part(answer.text, 1);
    expect(claims).toMatchObject({
      sub: '1',
      tid: expect.stringMatching(/^[0-9a-f]{24}$/),
      iss: expect.any(String),
      aud: expect.any(String),
    });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(3600);
  });

  it('answers an object to a client that accepts only JSON', async () => {
    const answer = await people.anonymous.with({ accept: 'application/json' }).post('/authenticate', { ...credentials, exp: '+2 days' });
    expect(answer.body).toEqual({ token: expect.any(String), expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/) });
    expect(
      (await people.anonymous.with({ accept: 'application/json, text/plain, */*' }).post('/authenticate', credentials)).body,
    ).toBeNull();
  });

  it.each(['', '1 hour', '-1 hour', '+2 years', 'tomorrow', '2020-01-01T00:00:00Z', '+1 hour; drop'])(
    'refuses the time %p',
    async (exp) => {
      const answer = await people.anonymous.post('/authenticate', { ...credentials, exp });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain('exp');
    },
  );

  it('refuses a wrong e-mail address and a wrong password with the same answer', async () => {
    const wrong = await people.anonymous.post('/authenticate', { ...credentials, password: 'wrong password' });
    const unknown = await people.anonymous.post('/authenticate', { ...credentials, email: 'unknown@example.test' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(withoutRequestId(unknown)).toEqual(withoutRequestId(wrong));
    expect(wrong.body).toEqual(errorBody(401));
  });

  it('takes the same time for an unknown account as for a wrong password', async () => {
    const { email } = await people.register();
    const quickest = new Map([
      [email, Infinity],
      ['also-unknown@example.test', Infinity],
    ]);
    // Alternating, and the fastest of each, so that other load on the machine does not count. Without hashing the ratio would be 1/15.
    for (let round = 0; round < 9; round++)
      for (const [asked, best] of quickest) {
        const start = performance.now();
        await people.anonymous.post('/authenticate', { email: asked, password: 'wrong password' });
        quickest.set(asked, Math.min(best, performance.now() - start));
      }
    const [known = NaN, unknown = NaN] = quickest.values();
    expect(unknown / known).toBeGreaterThan(0.25);
    expect(unknown / known).toBeLessThan(4);
  });

  it('signs an account in many times at once without appending events', async () => {
    const { email, userId } = await people.register();
    const countOf = async (what: string, value: string): Promise<number> =>
      (await service.database.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM log WHERE ${what}`, [value])).rows[0]?.n ?? NaN;
    const account = `account-${String(userId)}`;
    const events = (): Promise<number> => countOf('stream = $1', account);
    const tokens = (): Promise<number> => countOf(`scope = $1 AND type = 'TokenIssued'`, account);
    const before = [await events(), await tokens()] as const;
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => people.anonymous.post('/authenticate', { email, password: PASSWORD, exp: null })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(16);
    expect([await events(), await tokens()]).toEqual([before[0], before[1] + 16]);
  });

  it('answers whose token it is', async () => {
    const { api, userId, email } = await people.register('ada');
    const answer = await api.get('/authenticate');
    const claims = part(api.token ?? '', 1);
    expect(answer.body).toEqual({
      id: userId,
      name: 'ada',
      email,
      exp: claims['exp'],
      tid: claims['tid'],
      iat: claims['iat'],
      nbf: claims['nbf'],
    });
  });

  it('accepts a token of another instance', async () => {
    const { api } = await people.register();
    expect((await new ApiClient(other.url, api.token).get('/authenticate')).status).toBe(200);
  });
});

describe('a token', () => {
  const refused = async (token: string | null): Promise<void> => {
    const answer = await people.anonymous.as(token).get('/projects');
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(denied);
  };

  it('refuses a missing or malformed token', async () => {
    await refused(null);
    for (const token of ['', 'x', 'a.b.c', `${'a'.repeat(5000)}.b.c`]) await refused(token);
    for (const authorization of ['Basic YWRtaW46YWRtaW4=', 'Bearer', 'Token x', 'Bearer a b'])
      expect((await people.anonymous.with({ authorization }).get('/projects')).body).toEqual(denied);
  });

  it('accepts only the pinned algorithm, key, issuer and audience, within the validity period', async () => {
    const { api } = await people.register();
    const good = part(api.token ?? '', 1);
    const header = { alg: 'HS256', typ: 'JWT' };
    const now = Math.floor(Date.now() / 1000);
    expect((await people.anonymous.as(signed(header, good)).get('/projects')).status).toBe(200);
    await refused(signed(header, good, randomBytes(32)));
    await refused(signed({ ...header, alg: 'HS512' }, good, SHARED_JWT_KEY, 'sha512'));
    await refused(`${encode({ ...header, alg: 'none' })}.${encode(good)}.`);
    await refused(signed(header, { ...good, aud: 'another service' }));
    await refused(signed(header, { ...good, iss: 'another service' }));
    await refused(signed(header, { ...good, exp: now - 1 }));
    await refused(signed(header, { ...good, nbf: now + 60 }));
    await refused(signed(header, { ...good, tid: 'f'.repeat(24) }));
    await refused(signed(header, { ...good, sub: '1' }));
    await refused(signed(header, { ...good, sub: { $ne: null } }));
    const { exp: _, ...endless } = good;
    await refused(signed(header, endless));
  });

  it('refuses an expired token', async () => {
    const { email } = await people.register();
    const brief = await people.anonymous.signIn(email, PASSWORD, '+1 second');
    await until(async () => (await brief.get('/projects')).status === 401, 5_000, 'the end of the token');
  });

  it('writes no token to the log', async () => {
    const { api } = await people.register();
    await api.get('/projects');
    const log = [...service.log, ...other.log].join('\n');
    expect(log).not.toContain(api.token);
    expect(log).not.toContain(PASSWORD);
    expect(log).not.toContain(ADMIN.password);
  });
});

describe('an API key in the query', () => {
  it.each(['apikey', 'apiKey', 'APIKEY', 'api%6bey'])('refuses an API key in the query, in any spelling: %s', async (name) => {
    const { api } = await people.register();
    for (const client of [api, people.anonymous]) {
      const answer = await client.get(`/projects?${name}=abc`);
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({ message: expect.stringMatching(/deprecated.*token/i), errorCode: 'API_KEY_RETIRED' });
      expect(answer.headers.get('deprecation')).toBe('@1767225600');
    }
  });
});

describe('a plan without API access', () => {
  it("refuses every operation but sign-in and the account's own", async () => {
    const account = await people.register();
    const projectId = await people.project(account);
    await people.administer(account, { plan: 'free' });
    for (const path of ['/projects', '/authenticate', `/project/${projectId}`, '/project/create?url=https://example.com']) {
      const answer = await account.api.get(path);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.body).toEqual(errorBody(403, expect.stringContaining('plan does not support API access')));
    }
    expect((await account.api.get('/account')).status).toBe(200);
    expect((await account.api.get('/account/tokens')).status).toBe(200);
    expect((await people.anonymous.post('/authenticate', { email: account.email, password: PASSWORD })).status).toBe(200);
  });
});
