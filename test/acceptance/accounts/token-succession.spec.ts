import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '../../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { until } from '../../support/until.ts';
import { errorBody } from '../../support/error-body.ts';

let service: TestService;
let people: TestAccounts;
beforeAll(async () => {
  service = await sharedService();
  people = new TestAccounts(service);
});
afterAll(() => people.deleteProjects());

const url = 'https://hooks.example.com/T0/B0';
const needed = errorBody(403, expect.stringContaining('password'));

/** What a thief of a token would do to keep or to destroy the account. */
const takeovers: readonly [string, (api: ApiClient, projectId: string, body?: object) => ReturnType<ApiClient['get']>][] = [
  ['a new token', (api, _, body = {}) => api.post('/account/tokens', { name: 'successor', ...body })],
  ['a channel', (api, _, body = {}) => api.put('/account/channels/slack', { url, ...body })],
  ['the end of a channel', (api, _, body) => api.delete('/account/channels/slack', body)],
  ['a notification address', (api, _, body = {}) => api.put('/account/channels/email', { address: 'thief@example.test', ...body })],
  [
    'a notification address in the profile',
    (api, _, body = {}) => api.put('/account', { notificationEmail: 'thief@example.test', ...body }),
  ],
  ['a transfer', (api, projectId, body = {}) => api.post(`/project/${projectId}/transfer`, { userId: 1, ...body })],
  ['the erasure of the account', (api, _, body) => api.delete('/account', body)],
];

/** An hour after its sign-in. */
async function aged({ userId, email }: TestAccount): Promise<ApiClient> {
  const api = await people.anonymous.signIn(email, PASSWORD, '+1 day');
  await service.database.pool.query(`UPDATE tokens SET confirmed_at = confirmed_at - interval '1 hour' WHERE user_id = $1`, [userId]);
  return api;
}

describe('who holds a token alone', () => {
  let owner: TestAccount;
  let projectId: string;
  let program: ApiClient;
  let old: ApiClient;
  beforeAll(async () => {
    owner = await people.register();
    projectId = await people.project(owner);
    program = people.anonymous.as((await owner.api.post('/account/tokens', { name: 'program' })).body.token as string);
    old = await aged(owner);
  });

  it.each(takeovers)('does not get %s: neither with a personal token nor long after the sign-in', async (_, takeOver) => {
    for (const api of [program, old]) {
      const { status, body } = await takeOver(api, projectId);
      expect([status, body]).toEqual([403, needed]);
    }
    expect((await takeOver(old, projectId, { password: 'a guess' })).status).toBe(403);
  });

  it('keeps reading and writing everything else', async () => {
    for (const api of [program, old]) {
      expect((await api.put('/account', { name: 'Someone', notificationEmail: null })).status).toBe(200);
      expect((await api.put(`/project/${projectId}`, { title: 'On' })).status).toBe(200);
      expect((await api.get('/account/tokens')).status).toBe(200);
    }
  });

  it('counts wrong passwords as failed logins', async () => {
    const guessed = await people.register();
    const api = await aged(guessed);
    const answers: number[] = [];
    for (let turn = 0; turn < 11; turn++)
      answers.push((await api.post('/account/tokens', { name: 'x', password: `guess ${String(turn)}` })).status);
    expect(answers).toEqual([...Array<number>(10).fill(403), 429]);
    expect((await api.post('/account/tokens', { name: 'x', password: PASSWORD })).status).toBe(429);
  });
});

describe('who knows the password', () => {
  it('confirms it in the body, or by signing in again', async () => {
    const owner = await people.register();
    const projectId = await people.project(owner);
    const old = await aged(owner);
    for (const [name, takeOver] of takeovers.filter(([one]) => !/transfer|erasure/.test(one)))
      expect([name, (await takeOver(old, projectId, { password: PASSWORD })).status]).toEqual([name, 200]);
    const again = await people.anonymous.signIn(owner.email, PASSWORD);
    expect((await again.post('/account/tokens', { name: 'x' })).status).toBe(200);
    expect((await again.post('/account/tokens', { name: 'x', password: 'wrong' })).status).toBe(403);
    expect((await old.delete('/account', { password: PASSWORD })).status).toBe(200);
  });

  it('gets the first answer again for a repeated write, however late', async () => {
    const owner = await people.register();
    const [keyed, body] = [owner.api.with({ 'idempotency-key': 'once' }), { name: 'ci' }];
    const first = await keyed.post('/account/tokens', body);
    await service.database.pool.query(`UPDATE tokens SET confirmed_at = confirmed_at - interval '1 hour' WHERE user_id = $1`, [
      owner.userId,
    ]);
    await until(async () => (await owner.api.post('/account/tokens', { name: 'x' })).status === 403, 5_000, 'the end of the confirmation');
    expect(await keyed.post('/account/tokens', body)).toMatchObject({ status: 200, body: first.body });
  });
});
