import { createECDH, randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SsrfGuard } from '../../../src/platform/security/ssrf-guard/ssrf-guard.ts';
import { systemNames } from '../../../src/platform/security/ssrf-guard/name-source.ts';
import { CachedResolver } from '../../../src/platform/security/ssrf-guard/resolver.ts';
import { FormReader } from '../../../src/checker/forms/form-reader.ts';
import { FormSignIn } from '../../../src/checker/forms/sign-in.ts';
import { ProbeSession } from '../../../src/checker/probe/probe-session.ts';
import { Prober } from '../../../src/checker/probe/prober.ts';
import { channels } from '../../../src/alerts/channels/channel-table.ts';
import type { Transports, VapidKeys } from '../../../src/alerts/channels/channel.ts';
import { guardedPost } from '../../../src/alerts/channels/post.ts';
import { newVapidKeys } from '../../../src/alerts/channels/web-push.channel.ts';
import { compiledWorker } from '../../support/compiled-worker.ts';
import { innerUrls } from '../../support/inner-addresses.ts';
import { problemMessage } from '../../support/notifications/sample-messages.ts';
import { type Canary, startCanary } from '../../support/servers/canary.ts';
import { type DnsServer, startDnsServer } from '../../support/servers/dns-server.ts';
import { thorough } from '../../support/thorough.ts';

/** An allowed loopback address in the role of a public one. */
const OUTSIDE = '127.0.0.2';
const CODES = [301, 302, 303, 307, 308] as const;
const REBINDINGS = thorough(1_000, 100);

const listen = (listener: RequestListener, port = 0): Promise<Server | null> =>
  new Promise((resolve) => {
    const server = createServer(listener);
    server.once('error', () => {
      resolve(null);
    });
    server.listen(port, OUTSIDE, () => {
      resolve(server);
    });
  });
const portOf = (server: Server | null): number => (server?.address() as AddressInfo | null)?.port ?? 0;

let canary: Canary;
let outside: Server | null;
let dns: DnsServer;
let guard: SsrfGuard;
let prober: Prober;
let reader: FormReader;
let urls: readonly string[];
let asked = 0;

/** Headers are bytes: latin1 in Node. */
const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1').replaceAll('\t', ' ');

/** `/302/7` redirects to the seventh of the addresses, `/form/7` shows a form that leads there. */
const site: RequestListener = (request, response) => {
  asked++;
  const [, what = '', place = ''] = (request.url ?? '').split('/');
  const target = urls[Number(place)] ?? '';
  request.resume();
  if (what === 'form')
    response
      .setHeader('content-type', 'text/html')
      .end(`<form id=login method=post action="${target}"><input name=user><input type=password name=pw></form>`);
  else if (Number(what) > 0) response.writeHead(Number(what), { location: bytes(target) }).end();
  // An address without slashes is a path on this site.
  else response.writeHead(404).end();
};

beforeAll(async () => {
  canary = await startCanary();
  urls = innerUrls(canary.port);
  outside = await listen(site);
  // The owner of a name decides where it resolves to.
  dns = await startDnsServer(() => ({ addresses: ['127.0.0.1', '::1'], ttl: 0 }));
  guard = new SsrfGuard({ allowed: [`${OUTSIDE}/32`], resolver: new CachedResolver({ names: systemNames(dns.resolver) }) });
  prober = new Prober({ guard });
  reader = new FormReader(compiledWorker(new URL('../../../src/checker/forms/forms-worker.ts', import.meta.url)));
});
afterAll(async () => {
  await reader.close();
  await dns.close();
  await canary.close();
  outside?.closeAllConnections();
  outside?.close();
});

const PROBE = { timeoutMs: 30_000, userAgent: 'test' };
const vapid = JSON.parse(Buffer.from(newVapidKeys()).toString()) as VapidKeys;
const browser = createECDH('prime256v1');
browser.generateKeys();
const way = (own = 'http://127.0.0.1/'): Transports => ({
  post: guardedPost(guard),
  postToService: guardedPost(guard),
  mailer: { send: () => Promise.resolve({ kind: 'failed', reason: 'no mail here' }) } as unknown as Transports['mailer'],
  mailFrom: 'w@example.test',
  pagerdutyUrl: own,
  pushoverUrl: own,
  pushbulletUrl: own,
  vapid: () => Promise.resolve([vapid]),
  now: () => Date.now(),
});

/** Everything that opens a connection to an address that a user entered. */
const sinks: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'a look at a page (project, check, uptime, trial)': (url) => prober.fetch({ url, ...PROBE }),
  'a form that is sent': (url) =>
    prober.fetch({ url, method: 'POST', body: { contentType: 'text/plain', bytes: Buffer.from('a=b') }, ...PROBE }),
  'a sign-in page': (url) =>
    new FormSignIn(prober, reader).signIn(
      { baseUrl: url, identifier: 'login', params: '', origin: url, checksum: '' },
      { ...PROBE, session: new ProbeSession() },
    ),
  slack: (url) => channels.slack.deliver({ url }, problemMessage, way()),
  webhook: (url) => channels.webhook.deliver({ url, secret: 'whsec_c2VjcmV0' }, problemMessage, way()),
  'web push': (url) =>
    channels.webPush.deliver(
      { endpoint: url, p256dh: browser.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
      problemMessage,
      way(),
    ),
  pagerduty: (url) => channels.pagerduty.deliver({ routingKey: 'routing-key-1234567890' }, problemMessage, way(url)),
  pushover: (url) => channels.pushover.deliver({ user: 'user12345', token: 'token12345' }, problemMessage, way(url)),
  pushbullet: (url) => channels.pushbullet.deliver({ token: 'o.token12345' }, problemMessage, way(url)),
};
const CASES = Object.entries(sinks);

/** Daily each sink gets another part, so that all sinks together get every address once. */
const partOf = (sink: string): readonly string[] => {
  const nth = Object.keys(sinks).indexOf(sink);
  return urls.filter((_, index) => thorough(true, index % CASES.length === nth));
};

/** A few at a time, because each must be refused quickly. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

describe('internal addresses (SSRF guard)', () => {
  it('reaches the canary where the address is allowed, so that the canary is proven to work', async () => {
    const open = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) });
    const trap = await startCanary('127.0.0.1');
    expect(await open.fetch({ url: `http://0x7f.1:${String(trap.port)}/`, ...PROBE })).toMatchObject({ kind: 'answered', status: 200 });
    expect(trap.visits).toHaveLength(1);
    await trap.close();
    expect(new Set(urls).size).toBeGreaterThanOrEqual(60);
  });

  it.each(CASES)('is not connected to by %s, over http or https', async (sink, send) => {
    const part = partOf(sink);
    await each([...part, ...part.map((url) => url.replace(/^http:\/\//, 'https://'))], send);
    expect(canary.visits).toEqual([]);
  });

  it.each(CASES)('is not connected to by %s after a redirect', async (sink, send) => {
    // Needs a second loopback address in the role of a public one.
    if (outside === null) return;
    const before = asked;
    const all = CODES.flatMap((code) =>
      partOf(sink).map((url) => `http://${OUTSIDE}:${String(portOf(outside))}/${String(code)}/${String(urls.indexOf(url))}`),
    );
    await each(all, send);
    expect(asked - before).toBeGreaterThanOrEqual(all.length);
    expect(canary.visits).toEqual([]);
  });

  it('is not connected to when a form leads there', async () => {
    if (outside === null) return;
    const base = `http://${OUTSIDE}:${String(portOf(outside))}`;
    const signIn = new FormSignIn(prober, reader);
    await each(
      urls.map((_, place) => `${base}/form/${String(place)}`),
      async (baseUrl) => {
        const form = { baseUrl, identifier: 'login', params: 'user=a&pw=b', origin: base, checksum: '' };
        expect((await signIn.signIn(form, { ...PROBE, session: new ProbeSession() })).kind).not.toBe('signedIn');
      },
    );
    expect(canary.visits).toEqual([]);
  });
});

describe('a name that changes between lookup and connection (DNS rebinding)', () => {
  it(`never leads to an internal address, in ${String(REBINDINGS)} attempts with real DNS answers`, async () => {
    let served = 0;
    const host = await listen((_, response) => {
      served++;
      response.end('outside');
    });
    if (host === null) return;
    // The same port, so that only the address decides which server is reached.
    const trap = await startCanary('127.0.0.1', portOf(host));
    let inward = 0;
    const server = await startDnsServer((_, nth) => {
      const turn = (nth * 7919) % 5;
      if (turn >= 2) inward++;
      return { addresses: turn < 2 ? [OUTSIDE] : turn < 4 ? ['127.0.0.1'] : [OUTSIDE, '127.0.0.1'], ttl: 0 };
    });
    const names = systemNames(server.resolver);
    const rebound = new SsrfGuard({
      allowed: [`${OUTSIDE}/32`],
      resolver: new CachedResolver({ names, hosts: { addresses: () => Promise.resolve([]) } }),
    });
    const looking = new Prober({ guard: rebound });
    const post = guardedPost(rebound);
    // Each name is asked for ten times, so that it changes in between.
    const manyNames = REBINDINGS / 10;
    const tries = Array.from({ length: REBINDINGS }, (_, index) => index);
    await each(tries, async (index) => {
      const url = `http://r${String(index % manyNames)}.rebind.test:${String(portOf(host))}/${String(index)}`;
      if (index % 2 === 0) await looking.fetch({ url, ...PROBE });
      else await post({ url, body: '', headers: {} });
    });
    expect(trap.visits).toEqual([]);
    expect(inward).toBeGreaterThan(REBINDINGS / 20);
    expect(served).toBeGreaterThan(REBINDINGS / 20);
    host.closeAllConnections();
    host.close();
    await Promise.all([trap.close(), server.close()]);
  });
});
