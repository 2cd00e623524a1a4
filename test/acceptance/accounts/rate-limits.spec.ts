import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiClient, type Answer } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { errorBody } from '../../support/error-body.ts';
import { thorough } from '../../support/thorough.ts';

let service: TestService;
let other: TestService;
let people: TestAccounts;
let lastAddress = 0;
/** Ten are allowed. */
const GUESSES = thorough(40, 20);
/** The status of the right password, which comes while the guesses before it wait for their turn. */
async function statusAmong(guesses: readonly Promise<Answer>[], right: () => Promise<Answer>): Promise<number> {
  await Promise.race(guesses);
  const [{ status }, wrong] = await Promise.all([right(), Promise.all(guesses)]);
  expect(wrong.map((answer) => answer.status)).not.toContain(200);
  return status;
}
beforeAll(async () => {
  const env = { REGISTRATION: 'open', RATE_LIMIT: '60', TRUST_PROXY: 'loopback' };
  service = await TestService.start({ env });
  other = await TestService.start({ beside: service, env });
});
/** From an address of its own, because registering takes requests, too. */
beforeEach(() => {
  people = new TestAccounts(service, { 'x-forwarded-for': `192.0.2.${String(++lastAddress)}` });
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

const countedRequests = async (userId: number): Promise<number> => {
  const { rows } = await service.database.pool.query<{ used: string }>(
    `SELECT used FROM account_use WHERE budget = 'requests' AND user_id = $1`,
    [userId],
  );
  return Number(rows[0]?.used ?? 0);
};
/** A new client address for each test. */
const from = (address = `203.0.113.${String(++lastAddress)}`): ApiClient => new ApiClient(service.url).with({ 'x-forwarded-for': address });
const statuses = (answers: readonly Answer[]): Record<string, number> => {
  const count: Record<string, number> = {};
  for (const { status } of answers) count[status] = (count[status] ?? 0) + 1;
  return count;
};
const tooMany = errorBody(429, expect.stringContaining('Too many requests'));
const seconds = (answer: Answer | undefined): number => Number(answer?.headers.get('retry-after'));

describe('slugs without a status page', () => {
  it('are counted by address, so that asking for many of them ends', async () => {
    const ask = async (address: string, slug: string): Promise<number> =>
      (await fetch(`${service.url}/status/${slug}`, { headers: { 'x-forwarded-for': address } })).status;
    const asked: number[] = [];
    for (let n = 0; n < 61; n++) asked.push(await ask('198.51.100.77', `none-${String(n)}`));
    expect(asked).toEqual([...Array<number>(60).fill(404), 429]);
    expect(await ask('198.51.100.78', 'none')).toBe(404);
  });
});

describe('a large body', () => {
  /** The status that answers a head whose body never comes. */
  const statusOfHead = async (token: string, address = `203.0.113.${String(++lastAddress)}`): Promise<number> => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const head = [
      ...['PUT /api/account HTTP/1.1', 'Host: x', `X-Forwarded-For: ${address}`, `Authorization: Bearer ${token}`],
      ...['Content-Type: application/json', 'Content-Length: 1000000', '', ''],
    ];
    socket.write(head.join('\r\n'));
    const [chunk] = (await once(socket, 'data', { signal: AbortSignal.timeout(5_000) })) as [Buffer];
    socket.destroy();
    return Number(chunk.toString().split(' ')[1]);
  };

  it('is refused unread where the token is not valid, or the requests of its account are used up', async () => {
    for (const token of ['x', 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln']) expect([token, await statusOfHead(token)]).toEqual([token, 401]);
    const { api, userId } = await people.register();
    const body = { name: 'x'.repeat(20_000) };
    const before = await countedRequests(userId);
    expect((await api.put('/account', body)).status).toBe(400);
    await until(async () => (await countedRequests(userId)) > before, 10_000, 'the count');
    expect(await countedRequests(userId)).toBe(before + 1);
    for (let n = before + 1; n < 60; n++) await api.get('/authenticate');
    expect(await statusOfHead(api.token ?? '')).toBe(429);
  });
});

describe('sign-in attempts', () => {
  const guess = (client: ApiClient, email: string, password = 'wrong password'): Promise<Answer> =>
    client.post('/authenticate', { email, password });

  it('are limited to ten per account and address, over all instances', async () => {
    const { email } = await people.register();
    const address = '198.51.100.1';
    const clients = [from(address), new ApiClient(other.url).with({ 'x-forwarded-for': address })] as const;
    const tried: Answer[] = [];
    for (let n = 0; n < 10; n++) tried.push(await guess(clients[n % 2 === 0 ? 0 : 1], email));
    expect(statuses(tried)).toEqual({ 401: 10 });
    for (const client of clients) {
      const refused = await guess(client, email, PASSWORD);
      expect([refused.status, refused.body]).toEqual([429, tooMany]);
      expect(seconds(refused)).toBeGreaterThan(800);
      expect(seconds(refused)).toBeLessThanOrEqual(900);
    }
    expect((await guess(from(), email, PASSWORD)).status).toBe(200);
  });

  it('are counted for any spelling of the e-mail address', async () => {
    const { email } = await people.register();
    const client = from();
    for (let n = 0; n < 10; n++) await guess(client, n % 2 === 0 ? email.toUpperCase() : ` ${email}`);
    expect((await guess(client, email, PASSWORD)).status).toBe(429);
  });

  it('are counted for unknown accounts too, so that a limit reveals nothing', async () => {
    const client = from();
    for (let n = 0; n < 10; n++) await guess(client, 'unknown@example.test');
    expect((await guess(client, 'unknown@example.test')).status).toBe(429);
  });

  it('refuse even the right password among many simultaneous attempts', async () => {
    const { email } = await people.register();
    const client = from();
    const guesses = Array.from({ length: GUESSES }, (_, index) => guess(client, email, `guess number ${String(index)}`));
    expect(await statusAmong(guesses, () => guess(client, email, PASSWORD))).not.toBe(200);
  });

  it('refuse even the right current password among many simultaneous attempts', async () => {
    const { api } = await people.register();
    const change = (current: string): Promise<Answer> => api.post('/account/password', { current, new: 'another long password' });
    const guesses = Array.from({ length: GUESSES }, (_, index) => change(`guess number ${String(index)}`));
    expect(await statusAmong(guesses, () => change(PASSWORD))).not.toBe(200);
  });

  it('are not counted when they succeed', async () => {
    const { email } = await people.register();
    const client = from();
    for (let n = 0; n < 15; n++) expect((await guess(client, email, PASSWORD)).status).toBe(200);
  });

  it('store neither network address nor e-mail address', async () => {
    const email = 'who-tried-this@example.test';
    await guess(from('198.51.100.77'), email);
    const { rows } = await service.database.pool.query('SELECT * FROM tries');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toMatch(/who-tried-this|198\.51\.100/);
  });
});

describe('mails to arbitrary addresses', () => {
  it('are limited to ten in a quarter of an hour over all addresses', async () => {
    const { api } = await people.admin();
    const tried: Answer[] = [];
    for (let n = 0; n < 10; n++) tried.push(await api.post('/account/channels/email/test'));
    expect(statuses(tried)).toEqual({ 200: 10 });
    await api.put('/account/channels/email', { address: 'another@example.test' });
    const refused = await api.post('/account/channels/email/test');
    expect([refused.status, refused.body]).toEqual([429, tooMany]);
    expect(seconds(refused)).toBeGreaterThan(800);
  });
});

describe('requests per minute', () => {
  it('are counted by account, from any address', async () => {
    const { api } = await people.register();
    const answers: Answer[] = [];
    for (let n = 0; n < 62; n++) answers.push(await api.with({ 'x-forwarded-for': `192.0.2.${String(n)}` }).get('/authenticate'));
    expect(statuses(answers)).toEqual({ 200: 60, 429: 2 });
    expect(answers.at(-1)?.body).toEqual(tooMany);
    expect(answers.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(
      answers.map(() => '"account";q=60;w=60, "token";q=60;w=60'),
    );
    const left = answers.map(
      ({ headers }) => /^"account";r=(\d+);t=[1-9]\d?, "token";r=\1;t=[1-9]\d?$/.exec(headers.get('ratelimit') ?? '')?.[1],
    );
    expect(left.slice(0, 60)).toEqual(Array.from({ length: 60 }, (_, index) => String(59 - index)));
    expect(left.slice(60)).toEqual(['0', '0']);
    expect(seconds(answers.at(-1))).toBeGreaterThan(0);
    expect(seconds(answers.at(-1))).toBeLessThanOrEqual(60);
  });

  it('are a fifth of one each where the answer is 304, and 429 beyond the limit', async () => {
    const { api } = await people.register();
    const tag = (await api.get('/authenticate')).headers.get('etag') ?? '';
    const left = ({ headers }: Answer): string => /"account";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1] ?? '';
    const polls: Answer[] = [];
    for (let n = 0; n < 10; n++) polls.push(await api.with({ 'if-none-match': tag }).get('/authenticate'));
    expect(statuses(polls)).toEqual({ 304: 10 });
    expect(polls.map(left)).toEqual(['59', '59', '59', '59', '58', '58', '58', '58', '58', '57']);
    for (let n = 0; n < 57; n++) await api.get('/authenticate');
    expect((await api.with({ 'if-none-match': tag }).get('/authenticate')).status).toBe(429);
  });

  it('are counted in one window for all tokens of an account on all instances', async () => {
    const { api, email, userId } = await people.register();
    const again = await people.anonymous.with({ 'x-forwarded-for': '192.0.2.200' }).signIn(email, PASSWORD);
    for (let n = 0; n < 30; n++) await api.get('/authenticate');
    // The instances exchange their counts.
    await until(async () => (await countedRequests(userId)) >= 30, 2_000);
    const answers: Answer[] = [];
    for (let n = 0; n < 60; n++) {
      answers.push(await new ApiClient(other.url, again.token).get('/authenticate'));
      await new Promise((later) => setTimeout(later, 20));
    }
    const { 200: allowed = 0, 429: refused = 0 } = statuses(answers);
    expect(allowed).toBeGreaterThanOrEqual(25);
    expect(allowed).toBeLessThanOrEqual(40);
    expect(refused).toBe(60 - allowed);
    const metrics = await (await fetch(`${new URL(other.url).origin}/metrics`)).text();
    expect(metrics).toMatch(/watchledger_refusals_total\{limit="requests"\} [1-9]/);
  });

  it('are counted by address without a valid token', async () => {
    const client = from();
    const answers: Answer[] = [];
    for (let n = 0; n < 62; n++) answers.push(await client.as(n % 2 === 0 ? null : 'bad.token').get('/projects'));
    expect(statuses(answers)).toEqual({ 401: 60, 429: 2 });
    expect(answers.at(-1)?.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/);
    expect((await client.post('/authenticate', { email: 'a@example.test', password: 'wrong password' })).status).toBe(429);
    expect((await from().get('/projects')).status).toBe(401);
  });

  it('are counted by network for IPv6', async () => {
    const answers: Answer[] = [];
    for (let n = 1; n <= 62; n++)
      answers.push(
        await from(`2001:db8:0:7::${n.toString(16)}`)
          .as(null)
          .get('/projects'),
      );
    expect(statuses(answers)).toEqual({ 401: 60, 429: 2 });
    expect(answers.at(-1)?.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/);
    expect((await from('2001:db8:0:8::1').as(null).get('/projects')).status).toBe(401);
  });

  it('are counted separately for two accounts from one address', async () => {
    const [one, two] = await Promise.all([people.register(), people.register()]);
    for (let n = 0; n < 61; n++) await one.api.get('/authenticate');
    expect((await one.api.get('/authenticate')).status).toBe(429);
    expect((await two.api.get('/authenticate')).status).toBe(200);
  });
});

describe('writes with an Idempotency-Key', () => {
  it('are separate for the same key of two callers', async () => {
    const [one, two] = await Promise.all([people.register(), people.register()]);
    const keyed = { 'idempotency-key': 'the-same-key' };
    const [first, second] = [
      await one.api.with(keyed).post('/project/create', { url: 'https://example.com' }),
      await two.api.with(keyed).post('/project/create', { url: 'https://example.com' }),
    ];
    expect(second.body.id).not.toBe(first.body.id);
    const elsewhere = new ApiClient(other.url, one.api.token).with(keyed);
    const again = await elsewhere.post('/project/create', { url: 'https://example.com' });
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    expect((await elsewhere.post('/project/create', { url: 'https://example.org' })).status).toBe(409);
    expect((await one.api.get('/projects')).body.projects).toHaveLength(1);
  });

  it('invite a user once', async () => {
    const owner = await people.register();
    const id = await people.project(owner);
    const invite = (): Promise<Answer> =>
      owner.api.with({ 'idempotency-key': 'invite' }).post(`/project/${id}/users`, { email: 'invited-once@example.test', role: '6' });
    const answers = await Promise.all([invite(), invite(), invite()]);
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeGreaterThan(0);
    expect(new Set(good.map(({ body }) => body.id as string)).size).toBe(1);
    expect((await owner.api.get(`/project/${id}/users`)).body).toHaveLength(2);
  });

  it("answer a retry as before when the write ended the caller's own rights", async () => {
    const [owner, guest, stranger] = await Promise.all([people.register(), people.register(), people.register()]);
    const id = await people.project(owner);
    await people.join(id, owner, guest, '6');
    const area = (await owner.api.post(`/project/${id}/areas`, { name: 'Area' })).body.id as string;
    const test = (await owner.api.post(`/project/${id}/tests`, { areaId: area, url: '/', name: 'Test' })).body.id as string;
    const keyed = { 'idempotency-key': 'deleted' };
    const ends: readonly (readonly [ApiClient, string, object?])[] = [
      [guest.api, `/project/${id}/users`, { users: [guest.userId] }],
      [owner.api, `/test/${test}`],
      [owner.api, `/area/${area}`],
      [owner.api, `/project/${id}`],
    ];
    for (const [api, path, body] of ends) {
      const first = await api.with(keyed).delete(path, body);
      expect([path, first.status]).toEqual([path, 200]);
      const again = await api.with(keyed).delete(path, body);
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect([403, 404]).toContain((await api.delete(path, body)).status);
      expect([403, 404]).toContain((await api.with({ 'idempotency-key': 'another' }).delete(path, body)).status);
      expect([403, 404]).toContain((await stranger.api.with(keyed).delete(path, body)).status);
    }
  });

  it('execute the retry of a request that was refused by the rate limit', async () => {
    const { api } = await people.register();
    for (let n = 0; n < 10; n++) await api.post('/account/password', { current: 'wrong password', new: 'another long password' });
    const change = (): Promise<Answer> =>
      api.with({ 'idempotency-key': 'later' }).post('/account/password', { current: PASSWORD, new: 'another long password' });
    expect((await change()).status).toBe(429);
    await service.database.pool.query('DELETE FROM tries');
    expect((await change()).status).toBe(200);
  });

  it('answer the retry of a deletion that a crash left unanswered', async () => {
    const owner = await people.register();
    const id = await people.project(owner);
    const test = (await owner.api.post(`/project/${id}/tests`, { url: '/', name: 'Test' })).body.id as string;
    const keyed = owner.api.with({ 'idempotency-key': 'died' });
    const first = [await keyed.delete(`/test/${test}`), await keyed.delete(`/project/${id}`)];
    await service.database.pool.query('UPDATE idempotency SET status = NULL, content_type = NULL, body = NULL');
    const again = [await keyed.delete(`/test/${test}`), await keyed.delete(`/project/${id}`)];
    expect(again.map(({ status, body }) => [status, body])).toEqual(first.map(({ body }) => [200, body]));
    expect((await keyed.delete('/test/0123456789abcdef01234567')).status).toBe(404);
  });
});
