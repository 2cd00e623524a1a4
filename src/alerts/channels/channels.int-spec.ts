import { createECDH, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestMailServer, type TestMailServer } from '../../../test/support/servers/mail.ts';
import { makeAuthority, makeIdentity } from '../../../test/support/servers/certificates.ts';
import { type Receiver, startReceiver } from '../../../test/support/servers/receiver.ts';
import { type Site, startHttps, startRaw } from '../../../test/support/servers/site.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { SmtpMailer } from '../../platform/mail/smtp-mailer.ts';
import type { AcceptedKey } from '../../platform/security/keyring/rotating-secret.ts';
import { channels } from './channel-table.ts';
import type { Transports, DecryptedChannelSettings } from './channel.ts';
import { openTransports } from './transports.ts';
import { guardedPost, postToOperator, type DeliveryOutcome } from './post.ts';
import { newVapidKeys } from './web-push.channel.ts';
import { problemMessage, recoveryMessage } from '../../../test/support/notifications/sample-messages.ts';

const guard = new SsrfGuard({ allowed: ['127.0.0.0/8'] });
/** The time limit for what never answers; everything else may take as long as a busy machine needs. */
const SHORT_MS = 400;

/** The previous key, and the one that takes its place. */
const [previous, active] = [Buffer.from(newVapidKeys()), Buffer.from(newVapidKeys())];
let vapidKeys: readonly AcceptedKey[];
const accepted = (key: Buffer, state: AcceptedKey['state']): AcceptedKey => ({ fingerprint: state, key, state });

const urlsAt = (base: string) => ({
  pagerdutyUrl: `${base}/pagerduty`,
  pushoverUrl: `${base}/pushover`,
  pushbulletUrl: `${base}/pushbullet`,
});

let receiver: Receiver;
/** A receiver at which no message may ever arrive. */
let inner: Receiver;
/** A site with an unknown certificate. */
let untrusted: Site;
let mail: TestMailServer;
let outside: Transports;
let mailer: SmtpMailer;

beforeAll(async () => {
  [receiver, inner, mail] = await Promise.all([startReceiver(), startReceiver(), createTestMailServer()]);
  untrusted = await startHttps(makeIdentity({ hosts: ['127.0.0.1'] }, makeAuthority()), (_, response) => response.end());
  mailer = new SmtpMailer(mail.url, 'Watchledger <w@example.test>');
  // The receivers of these tests are internal, and their answers are compared.
  const post = guardedPost(guard, { readsInternal: true });
  outside = {
    ...openTransports({
      config: { mailFrom: 'Watchledger <w@example.test>', ...urlsAt(receiver.url) },
      hookGuard: guard,
      mailer,
      rotating: { vapid: { accepted: () => Promise.resolve(vapidKeys) } },
    }),
    post,
  };
});
afterAll(async () => {
  mailer.close();
  await Promise.all([receiver.close(), inner.close(), untrusted.close(), mail.close()]);
});
beforeEach(() => {
  vapidKeys = [accepted(active, 'active')];
  receiver.answer = (_, response) => void response.end('ok');
});

const browser = () => {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return { endpoint: `${receiver.url}/push`, p256dh: ecdh.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') };
};
const settings = (): Readonly<
  Record<'pagerduty' | 'pushover' | 'pushbullet' | 'slack' | 'webPush' | 'webhook', DecryptedChannelSettings>
> => ({
  pagerduty: { routingKey: 'routing-key-1234567890' },
  pushover: { user: 'user12345', token: 'token12345' },
  pushbullet: { token: 'o.token12345' },
  slack: { url: `${receiver.url}/slack` },
  webPush: browser(),
  webhook: { url: `${receiver.url}/webhook`, secret: 'whsec_c2VjcmV0' },
});
type OverHttp = keyof ReturnType<typeof settings>;
const names = Object.keys({ pagerduty: 0, pushover: 0, pushbullet: 0, slack: 0, webPush: 0, webhook: 0 }) as OverHttp[];

const deliver = (name: OverHttp, message = problemMessage, through = outside): Promise<DeliveryOutcome> =>
  channels[name].deliver(settings()[name], message, through);
const sendAnswer = (status: number, headers: Readonly<Record<string, string>> = {}) => {
  receiver.answer = (_, response: ServerResponse) => void response.writeHead(status, headers).end('no');
};
const last = () => receiver.received.at(-1)!;

describe.each(names)('the channel %s', (name) => {
  it('delivers', async () => {
    expect(await deliver(name)).toMatchObject({ kind: 'delivered' });
    expect(await deliver(name, recoveryMessage)).toMatchObject({ kind: 'delivered' });
  });

  it.each([400, 401, 403, 404, 410, 413])('fails for good at status %d', async (status) => {
    sendAnswer(status);
    expect(await deliver(name)).toEqual({ kind: 'refused', reason: `answered ${String(status)}: no` });
  });

  it('retries after 429 and 5xx and honours Retry-After', async () => {
    for (const [status, headers, afterMs] of [
      [429, {}, null],
      [429, { 'retry-after': '120' }, 120_000],
      [500, {}, null],
      [503, { 'retry-after': '7' }, 7_000],
    ] as const) {
      sendAnswer(status, headers);
      expect(await deliver(name)).toEqual({ kind: 'later', reason: `answered ${String(status)}: no`, afterMs });
    }
  });

  it('retries when nothing answers or the connection breaks', async () => {
    receiver.answer = () => undefined;
    const slow = guardedPost(guard, { deadlineMs: SHORT_MS });
    const impatient = { ...outside, post: slow, postToService: slow };
    expect(await deliver(name, problemMessage, impatient)).toMatchObject({ kind: 'later', reason: 'no answer within 0.4 s' });
    receiver.answer = (_, response) => void response.socket?.destroy();
    expect(await deliver(name)).toMatchObject({ kind: 'later' });
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %d redirect to an internal address', async (status) => {
    const before = receiver.received.length;
    for (const location of ['http://10.0.0.1/', `${inner.url}/admin`]) {
      sendAnswer(status, { location });
      expect(await deliver(name)).toMatchObject({ kind: 'refused', reason: `answered ${String(status)}: redirects are not followed` });
    }
    expect(receiver.received).toHaveLength(before + 2);
    expect(inner.received).toEqual([]);
  });

  it('retries when the certificate does not verify or the peer does not speak TLS', async () => {
    for (const [base, words] of [
      [untrusted.url, /certificate/],
      [receiver.url.replace('http:', 'https:'), /SSL|TLS|wrong version/i],
    ] as const) {
      const moved = Object.fromEntries(Object.entries(settings()[name]).map(([key, value]) => [key, value.replace(receiver.url, base)]));
      const away = { ...outside, ...urlsAt(base) };
      const outcome = await channels[name].deliver(moved, problemMessage, away);
      expect(outcome).toMatchObject({ kind: 'later', reason: expect.stringMatching(words) });
      expect(JSON.stringify(outcome)).not.toContain('12345');
    }
  });
});

describe('the guarded POST', () => {
  it('does not read the answers of addresses that are not public, unless the operator named them', async () => {
    receiver.answer = (_, response) => void response.end('INTERNAL-CONFIG');
    const request = { url: receiver.url, body: '', headers: {} };
    expect(await guardedPost(guard)(request)).toMatchObject({ kind: 'answered', status: 200, body: '' });
    expect(await postToOperator()(request)).toMatchObject({ kind: 'answered', status: 200, body: 'INTERNAL-CONFIG' });
  });

  it('refuses internal addresses in every spelling', async () => {
    const post = guardedPost(new SsrfGuard());
    for (const url of [
      receiver.url,
      receiver.url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      'http://169.254.169.254/',
      'http://10.0.0.1:80/',
    ])
      expect(await post({ url, body: '', headers: {} })).toMatchObject({ kind: 'forbidden' });
  });

  it('survives an answer that is not HTTP', async () => {
    const gibberish = await startRaw((socket) => void socket.end('what?\r\n\r\n'));
    expect(await outside.post({ url: gibberish.url, body: '', headers: {} })).toMatchObject({ kind: 'failed' });
    await gibberish.close();
  });

  it.each<readonly [string, string, (socket: Socket) => void]>([
    [
      'without an end',
      '',
      (socket) => {
        const timer = setInterval(() => socket.write('x'.repeat(65_536)), 1);
        socket.once('close', () => clearInterval(timer));
      },
    ],
    ['that is longer than anybody reads', 'Content-Length: 200000\r\n', (socket) => void socket.write('x'.repeat(200_000))],
    ['that stops halfway', 'Content-Length: 100\r\n', (socket) => void socket.write('half of it')],
    ['that breaks off halfway', 'Content-Length: 100\r\n', (socket) => void socket.end('half of it')],
    ['that is not packed as it says', 'Content-Encoding: gzip\r\nContent-Length: 4\r\n', (socket) => void socket.write('none')],
  ])('counts a 200 whose body %s as delivered, so that it is not sent twice', async (_, head, go) => {
    const site = await startRaw((socket) => {
      socket.on('error', () => undefined);
      socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n`);
      go(socket);
    });
    const post = guardedPost(guard, { deadlineMs: SHORT_MS });
    expect(await post({ url: site.url, body: '', headers: {} })).toMatchObject({ kind: 'answered', status: 200 });
    await site.close();
  });
});

describe('the requests of each channel', () => {
  it('opens one incident and resolves it when everything in it has recovered', async () => {
    await deliver('pagerduty');
    expect(JSON.parse(last().body)).toMatchObject({
      event_action: 'trigger',
      dedup_key: problemMessage.id,
      payload: { severity: 'error' },
    });
    await deliver('pagerduty', recoveryMessage);
    expect(JSON.parse(last().body)).toMatchObject({ event_action: 'resolve', dedup_key: problemMessage.id });
    const count = receiver.received.length;
    await deliver('pagerduty', { ...recoveryMessage, answers: [{ id: problemMessage.id, over: false }] });
    expect(receiver.received).toHaveLength(count);
  });

  it('signs with the previous VAPID key for a subscription that was made with it', async () => {
    vapidKeys = [accepted(active, 'active'), accepted(previous, 'previous')];
    const { publicKey } = JSON.parse(previous.toString()) as { publicKey: string };
    receiver.answer = ({ headers }, response) =>
      void response.writeHead(headers.authorization?.includes(publicKey) === true ? 201 : 403).end();
    expect(await deliver('webPush')).toMatchObject({ kind: 'delivered' });
    vapidKeys = [accepted(active, 'active')];
    expect(await deliver('webPush')).toMatchObject({ kind: 'refused' });
  });

  it('encrypts for the browser and signs with the VAPID key of the installation', async () => {
    await deliver('webPush');
    const { headers, body } = last();
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high' });
    expect(headers.authorization).toContain((await outside.vapid())[0]?.publicKey ?? 'none');
    expect(body).not.toContain('Homepage');
    expect(await channels.webPush.deliver({ endpoint: receiver.url, p256dh: 'AAAA', auth: 'AAAA' }, problemMessage, outside)).toMatchObject(
      {
        kind: 'refused',
      },
    );
  });

  it('sends text and HTML in one mail thread, with List-Unsubscribe', async () => {
    const address = 'reader@example.test';
    expect(await channels.email.deliver({ address }, problemMessage, outside)).toMatchObject({ kind: 'delivered' });
    expect(await channels.email.deliver({ address }, recoveryMessage, outside)).toMatchObject({ kind: 'delivered' });
    const [problem = '', recovery = ''] = mail.to(address);
    expect(problem).toMatch(new RegExp(`Message-ID: <${problemMessage.id}@example.test>`));
    expect(recovery).toMatch(new RegExp(`In-Reply-To: <${problemMessage.id}@example.test>`));
    expect(problem).toMatch(/List-Unsubscribe: <mailto:w@example\.test\?subject=unsubscribe>/);
    expect(problem).toContain('text/plain');
    expect(problem).toContain('text/html');
  });
});
