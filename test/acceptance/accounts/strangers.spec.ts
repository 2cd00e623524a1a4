import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { createTestMailServer, type TestMailServer } from '../../support/servers/mail.ts';
import { refusalsOf } from '../../support/refusals.ts';
import { PASSWORD, TestAccounts } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { isRelease, thorough } from '../../support/thorough.ts';

const GUESSES = 20;

let mail: TestMailServer;
let service: TestService;
let people: TestAccounts;
beforeAll(async () => {
  mail = await createTestMailServer();
  const env = { REGISTRATION: 'open', RATE_LIMIT: '0', TRUST_PROXY: 'loopback', SMTP_URL: mail.url };
  service = await TestService.start({ env: { ...env, REGISTRATION_LIMIT: '25', GUESS_LIMIT: String(GUESSES), MAILS_PER_RECIPIENT: '5' } });
  people = new TestAccounts(service);
});
afterAll(async () => {
  await mail.close();
  await service.stop();
});

const from = (address: string): ApiClient => new ApiClient(service.url).with({ 'x-forwarded-for': address });
const register = (email: string, address = '192.0.2.1', password = PASSWORD) =>
  from(address).post('/account/register', { email, password, name: 'x' });
const linksTo = (email: string): readonly string[] =>
  mail.to(email).map((text) => new URL(/http:\/\/\S+/.exec(text)?.[0] ?? 'http://none').searchParams.get('token') ?? '');
const received = (email: string, count: number): Promise<void> =>
  until(() => Promise.resolve(mail.to(email).length >= count), 10_000, `${String(count)} mails to ${email}`);
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));

describe('a flood of mails to a stranger', () => {
  it('ends after three registrations, however often the account is erased in between', async () => {
    const email = 'stranger@example.test';
    for (let round = 0; round < 6; round++) {
      expect((await register(email, `198.51.100.${String(round)}`)).status).toBe(200);
      const api = await people.anonymous.signIn(email, PASSWORD);
      expect((await api.delete('/account')).status).toBe(200);
    }
    await received(email, 3);
    await quiet();
    expect(mail.to(email)).toHaveLength(3);
  });

  it('is not made of test messages: a notification address gets nothing but the link before it is confirmed', async () => {
    const [owner, email] = [await people.register('owner'), 'ops@example.test'];
    expect((await owner.api.put('/account/channels/email', { address: email })).body).toMatchObject({ addressConfirmed: false });
    await received(email, 1);
    expect((await owner.api.post('/account/channels/email/test')).status).toBe(200);
    await quiet();
    expect(mail.to(email)).toHaveLength(1);
    const [token] = linksTo(email);
    expect((await people.anonymous.post('/account/notification-email/confirm', { token })).status).toBe(200);
    expect((await people.anonymous.post('/account/notification-email/confirm', { token })).status).toBe(400);
    expect((await owner.api.get('/account/channels/email')).body).toMatchObject({ addressConfirmed: true });
    const tests: number[] = [];
    for (let n = 0; n < 6; n++) tests.push((await owner.api.post('/account/channels/email/test')).status);
    expect(tests).toEqual([200, 200, 200, 200, 429, 429]);
    expect(mail.to(email)).toHaveLength(5);
  });

  it('does not come through a link to an address that was replaced', async () => {
    const owner = await people.register('replacing');
    await owner.api.put('/account/channels/email', { address: 'first@example.test' });
    await received('first@example.test', 1);
    await owner.api.put('/account/channels/email', { address: 'second@example.test' });
    expect((await people.anonymous.post('/account/notification-email/confirm', { token: linksTo('first@example.test')[0] })).status).toBe(
      400,
    );
    expect((await owner.api.get('/account/channels/email')).body).toMatchObject({ addressConfirmed: false });
  });
});

describe('distributed guessing', () => {
  if (isRelease)
    it('pauses for the account, tells its owner once, and does not keep the owner out', async () => {
      const owner = await people.register('guessed');
      const guess = (n: number, password: string) =>
        from(`2001:db8:${String(n)}::1`).post('/authenticate', { email: owner.email, password });
      const statuses: number[] = [];
      for (let n = 0; n < GUESSES + 2; n++) statuses.push((await guess(n, `guess ${String(n)}`)).status);
      expect(statuses).toEqual([...Array<number>(GUESSES).fill(401), 429, 429]);
      const right = await guess(99, PASSWORD);
      expect([right.status, Number(right.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect((await people.anonymous.post('/authenticate', { email: owner.email, password: PASSWORD })).status).toBe(200);
      await until(() => Promise.resolve(mail.to(owner.email).some((text) => text.includes('failed sign-ins'))), 15_000, 'a notice');
    });

  it('gives the networks of 48 bits of one subscriber no more than four times the tries of one', async () => {
    const { email } = await people.register();
    let refused = 0;
    for (let n = 0; n < GUESSES - 1; n++)
      if ((await from(`2001:db8:a:${n.toString(16)}::1`).post('/authenticate', { email, password: 'wrong' })).status === 429) refused++;
    expect(refused).toBe(0);
    const { rows } = await service.database.pool.query<{ most: number }>('SELECT max(failed) AS most FROM tries');
    expect(rows[0]?.most).toBeGreaterThanOrEqual(GUESSES - 1);
  });
});

describe('guessing the password of a status page', () => {
  it('does not lock out those who know it', async () => {
    const owner = await people.register();
    const project = (await owner.api.post('/project/create', { url: 'https://guessed.example' })).body.id as string;
    const groups = [{ name: 'All', items: [{ name: 'Site', project }] }];
    const page = { slug: 'guessed', title: 'G', access: 'password', password: 'the right words', groups };
    expect((await owner.api.post('/status-pages', page)).status).toBe(200);
    const open = async (n: number, password: string): Promise<number> => {
      const headers = { 'x-forwarded-for': `2001:db8:${(0x500 + n).toString(16)}::1` };
      const body = new URLSearchParams({ password });
      return (await fetch(`${service.url}/status/guessed/password`, { method: 'POST', headers, body, redirect: 'manual' })).status;
    };
    await until(async () => (await open(0, 'the right words')) === 303, 5_000, 'that the page is there');
    for (let n = 1; n <= GUESSES + 2; n++) expect(await open(n, 'wrong words')).toBe(404);
    expect(await open(GUESSES + 3, 'the right words')).toBe(303);
    const fromOne: number[] = [];
    for (let n = 0; n < 11; n++) fromOne.push(await open(1_000, 'wrong words'));
    expect(fromOne.at(-1)).toBe(429);
  });
});

describe('registration', () => {
  it('does not reveal whether an address is taken: the same answer after the same time, and a mail to its owner', async () => {
    const owner = await people.register('taken');
    const timed = async (email: string): Promise<{ readonly text: string; readonly status: number; readonly ms: number }> => {
      const start = performance.now();
      const { status, text } = await register(email, '203.0.113.9', 'the password of another');
      return { status, text, ms: performance.now() - start };
    };
    const [taken, free] = [await timed(owner.email), await timed('free@example.test')];
    expect([taken.status, taken.text]).toEqual([free.status, free.text]);
    for (const { ms } of [taken, free]) expect(ms).toBeGreaterThan(490);
    await received(owner.email, 2);
    expect(mail.to(owner.email).at(-1)).toContain('already has one');
    await people.anonymous.signIn(owner.email, PASSWORD);
    await expect(people.anonymous.signIn(owner.email, 'the password of another')).rejects.toThrow('401');
  });

  it('is limited by network, also by wider IPv6 networks', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 26; n++) statuses.push((await register('not an address', '198.51.100.77')).status);
    expect(new Set(statuses)).toEqual(new Set([400]));
    const made = await Promise.all(Array.from({ length: 27 }, (_, n) => register(`many-${String(n)}@example.test`, '198.51.100.78')));
    const [opened, refused] = [200, 429].map((wanted) => made.filter(({ status }) => status === wanted).length);
    expect(opened).toBeGreaterThan(0);
    expect(opened).toBeLessThanOrEqual(25);
    expect(refused).toBeGreaterThanOrEqual(2);
  });

  it('refuses the most common passwords, as does a change of password', async () => {
    const refused = await register('common@example.test', '203.0.113.10', 'Password1');
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('most common')]);
    const { api } = await people.register();
    expect((await api.post('/account/password', { current: PASSWORD, new: 'iloveyou' })).status).toBe(400);
  });
});

it('shows in the metrics what was held back', async () => {
  for (const limit of thorough(['guesses', 'mails', 'registrations'] as const, ['mails', 'registrations'] as const))
    await until(async () => (await refusalsOf(service, limit)) > 0, 5_000, `refusals of ${limit}`);
});
