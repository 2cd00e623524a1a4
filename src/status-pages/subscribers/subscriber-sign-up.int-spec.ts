import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { type Receiver, startReceiver } from '../../../test/support/servers/receiver.ts';
import { until } from '../../../test/support/until.ts';
import { AddressRules } from '../../platform/security/ssrf-guard/address-rules.ts';
import { operatorGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { readTargetUrl } from '../../platform/security/ssrf-guard/target-url.ts';
import { NetworkLimit } from '../../accounts/tokens/network-limit.ts';
import { TryStore } from '../../accounts/tokens/try-store.ts';
import { guardedPost } from '../../alerts/channels/post.ts';
import { signed } from '../../platform/outbox/standard-webhooks.ts';
import { SubscriberLinks } from './subscriber-links.ts';
import { SIGN_UPS_PER_NETWORK, SubscriberSignUp } from './subscriber-sign-up.ts';
import { SubscriberStore } from './subscriber-store.ts';

const secret = randomBytes(32);
const secrets = { secret: () => Promise.resolve(secret) };
const links = new SubscriberLinks(secrets);
const NOW = Date.UTC(2026, 10, 21, 14);
const CONFIRM = 'https://watch.example/status/-/confirm?token=';
const publicOnly = new AddressRules();

let database: TestDatabase;
let hook: Receiver;
beforeAll(async () => {
  [database, hook] = await Promise.all([createTestDatabase(), startReceiver()]);
});
afterAll(() => Promise.all([database.drop(), hook.close()]));

let mails: { readonly to: string; readonly subject: string; readonly text: string }[];
let signUps: SubscriberSignUp;
const open = (guard: ConstructorParameters<typeof SubscriberSignUp>[0]['guard'] = operatorGuard()): SubscriberSignUp => {
  const hour = new TryStore(database.pool, 3_600);
  return new SubscriberSignUp({
    ...{ links, guard, post: guardedPost(operatorGuard()), hour, day: new TryStore(database.pool, 86_400) },
    mails: { add: (mail) => Promise.resolve(void mails.push(mail)) },
    networks: new NetworkLimit(hour, secrets, 'subscriber', SIGN_UPS_PER_NETWORK),
    now: () => NOW,
    report: (error) => {
      throw error;
    },
  });
};
beforeEach(async () => {
  await database.pool.query('TRUNCATE tries, status_subscriber');
  mails = [];
  signUps = open();
});

const page = { pageId: 'page', title: 'Shop http://evil.example', url: 'https://watch.example/status/shop' };
const asked = {
  page,
  kind: 'email',
  address: 'ada@example.test',
  items: [],
  language: 'en',
  from: '192.0.2.1',
  confirmUrl: CONFIRM,
} as const;
const tokenIn = (text: string): string => /token=(\S+)/.exec(text)?.[1] ?? '';

describe('signing up for a status page', () => {
  it('mails a link that holds the sign-up, stores nothing, and links nothing that the page is named', async () => {
    expect(await signUps.ask(asked)).toEqual({ kind: 'sent', secret: null });
    const [mail] = mails;
    expect(mail?.text).toContain('token=');
    expect(mail?.text).not.toContain('http://evil');
    const signUp = await links.readSignUp(tokenIn(mail?.text ?? ''), NOW);
    expect(signUp).toMatchObject({ pageId: 'page', address: 'ada@example.test', items: [] });
    expect(await links.readSignUp(tokenIn(mail?.text ?? ''), NOW + 24 * 3_600_000)).toBeNull();
    expect((await database.pool.query('SELECT FROM status_subscriber')).rowCount).toBe(0);
  });

  it('answers alike for an address that is subscribed, one that is not, and one beyond its limit', async () => {
    const answers = [await signUps.ask(asked)];
    const signUp = await links.readSignUp(tokenIn(mails[0]?.text ?? ''), NOW);
    if (signUp !== null) await new SubscriberStore(database.pool, secrets).confirm(signUp);
    for (let nth = 0; nth < 8; nth++) answers.push(await signUps.ask({ ...asked, page: { ...page, pageId: `page ${String(nth)}` } }));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set(['{"kind":"sent","secret":null}']));
    expect(mails).toHaveLength(5);
  });

  it('is limited by network and by page, whatever the address', async () => {
    const ask = (nth: number, from: string) => signUps.ask({ ...asked, address: `${String(nth)}@example.test`, from });
    const kinds: string[] = [];
    for (let nth = 0; nth <= SIGN_UPS_PER_NETWORK; nth++) kinds.push((await ask(nth, '192.0.2.1')).kind);
    expect([kinds.filter((kind) => kind === 'sent').length, kinds.at(-1)]).toEqual([SIGN_UPS_PER_NETWORK, 'too many']);
    for (let nth = 0; nth < 180; nth++) await ask(1_000 + nth, `198.51.100.${String(nth)}`);
    expect((await ask(9_999, '203.0.113.1')).kind).toBe('too many');
    expect((await signUps.ask({ ...asked, page: { ...page, pageId: 'other' }, address: 'b@example.test', from: '203.0.113.2' })).kind).toBe(
      'sent',
    );
  });

  it('asks a webhook to confirm, signed with a key that is shown once, and a host only so often', async () => {
    const ask = (path: string) => signUps.ask({ ...asked, kind: 'webhook', address: `${hook.url}/${path}`, from: `192.0.2.${path}` });
    const first = await ask('1');
    await until(() => Promise.resolve(hook.received.length === 1), 10_000);
    const [received] = hook.received;
    const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signature } = received?.headers ?? {};
    const body = received?.body ?? '';
    const key = first.kind === 'sent' ? (first.secret ?? '') : '';
    expect(signed([key], String(id), Number(sentAt), body)['webhook-signature']).toBe(signature);
    const { type, data } = JSON.parse(body) as { type: string; data: { confirm: string } };
    expect([type, (await links.readSignUp(tokenIn(data.confirm), NOW))?.secret]).toEqual(['subscription.confirm', key]);
    for (let nth = 2; nth < 30; nth++) expect((await ask(String(nth))).kind).toBe('sent');
    await until(() => Promise.resolve(hook.received.length === 20), 10_000);
    await expect(until(() => Promise.resolve(hook.received.length > 20), 30)).rejects.toThrow();
  });

  it('refuses an inner address, and what is no address', async () => {
    const guarded = open({ readUrl: (text) => readTargetUrl(text, publicOnly) });
    for (const address of [
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://0x7f.1/',
      'ftp://example.test/',
      'https://me:pw@example.test/',
      'nonsense',
    ])
      expect(await guarded.ask({ ...asked, kind: 'webhook', address })).toEqual({ kind: 'wrong address' });
  });

  it('takes no link that was made elsewhere, for another purpose, or changed', async () => {
    const token = await links.unsubscribeToken('11111111-1111-4111-8111-111111111111');
    expect(await links.readUnsubscribe(token)).toBe('11111111-1111-4111-8111-111111111111');
    const others = [token.slice(0, -1), `${token}0`, token.replace('.', ''), '', 'x.y'];
    for (const other of others) expect([await links.readUnsubscribe(other), await links.readSignUp(other, NOW)]).toEqual([null, null]);
    const elsewhere = new SubscriberLinks({ secret: () => Promise.resolve(randomBytes(32)) });
    expect(await elsewhere.readUnsubscribe(token)).toBeNull();
  });
});
