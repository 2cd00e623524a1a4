import { afterEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttp, type Site } from '../../../test/support/servers/site.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { FetchOutcome } from './outcome.ts';
import { ProbeSession } from './probe-session.ts';
import { Prober } from './prober.ts';

const prober = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) });
const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

interface ProtectedSite {
  readonly url: string;
  readonly seen: (string | undefined)[];
}

async function protectedSite(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<ProtectedSite> {
  const seen: (string | undefined)[] = [];
  const site = await startHttp((request, response) => {
    seen.push(request.headers.authorization);
    answer(request, response);
  });
  sites.push(site);
  return { url: site.url, seen };
}

const fetchSignedIn = (url: string, signInUrl = url, session = new ProbeSession()): Promise<FetchOutcome> =>
  prober.fetch({
    url,
    timeoutMs: 2000,
    userAgent: 'test',
    session,
    credentials: { url: signInUrl, user: 'Mufasa', password: 'Circle of Life' },
  });

/** Verifies credentials as RFC 7616 describes; each nonce is valid once. */
function verifyDigest(algorithm: 'MD5' | 'SHA-256', hash: string): (request: IncomingMessage, response: ServerResponse) => void {
  let nonce = 0;
  const digest = (text: string): string => createHash(hash).update(text).digest('hex');
  return (request, response) => {
    const given = new Map(
      [...(request.headers.authorization ?? '').matchAll(/(\w+)=(?:"([^"]*)"|([^,\s]*))/g)].map(([, key, a, b]) => [key, a ?? b]),
    );
    const first = digest('Mufasa:the "den":Circle of Life');
    const expected = digest(
      `${first}:${String(nonce)}:${given.get('nc') ?? ''}:${given.get('cnonce') ?? ''}:auth:${digest(`GET:${request.url ?? ''}`)}`,
    );
    if (given.get('response') === expected && given.get('nonce') === String(nonce)) {
      nonce++;
      return request.url === '/moved' ? response.writeHead(302, { Location: '/in' }).end() : response.end('in');
    }
    nonce++;
    const stale = given.get('nonce') === String(nonce - 2) ? ', stale=true' : '';
    const challenge = `Digest realm="the \\"den\\"", qop="auth,auth-int", algorithm=${algorithm}, nonce="${String(nonce)}", opaque="x"${stale}`;
    return response.writeHead(401, { 'WWW-Authenticate': ['Basic realm="the den"', challenge] }).end();
  };
}

describe('HTTP authentication', () => {
  it('answers a Basic challenge, and from then on sends the credentials of the session at once', async () => {
    const expected = `Basic ${Buffer.from('Mufasa:Circle of Life').toString('base64')}`;
    const { url, seen } = await protectedSite((request, response) =>
      request.headers.authorization === expected
        ? response.end('in')
        : response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end(),
    );
    const session = new ProbeSession();
    expect(await fetchSignedIn(url, url, session)).toMatchObject({ kind: 'answered', status: 200 });
    expect(await fetchSignedIn(`${url}/more`, url, session)).toMatchObject({ kind: 'answered', status: 200 });
    expect(seen).toEqual([undefined, expected, expected]);
  });

  it.each([
    ['MD5', 'md5'],
    ['SHA-256', 'sha256'],
  ] as const)('answers a Digest challenge (%s) before a Basic one, and another one when its nonce is stale', async (algorithm, hash) => {
    const { url, seen } = await protectedSite(verifyDigest(algorithm, hash));
    const session = new ProbeSession();
    for (const path of ['/a?b=c', '/d'])
      expect(await fetchSignedIn(`${url}${path}`, url, session)).toMatchObject({ kind: 'answered', status: 200 });
    expect(seen.filter((header) => header?.startsWith('Basic'))).toEqual([]);
    expect(seen).toHaveLength(4);
  });

  it('answers another challenge after a redirect if each nonce is valid once', async () => {
    const { url, seen } = await protectedSite(verifyDigest('MD5', 'md5'));
    expect(await fetchSignedIn(`${url}/moved`, url)).toMatchObject({ kind: 'answered', status: 200 });
    expect(seen).toHaveLength(4);
    const alwaysStale = await protectedSite((_, response) =>
      response.writeHead(401, { 'WWW-Authenticate': 'Digest realm="x", nonce="a", qop="auth", stale=true' }).end(),
    );
    expect(await fetchSignedIn(alwaysStale.url)).toMatchObject({ kind: 'answered', status: 401 });
    expect(alwaysStale.seen).toHaveLength(2);
  });

  it('returns a second refusal as the answer', async () => {
    const { url, seen } = await protectedSite((_, response) => response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end());
    expect(await fetchSignedIn(url)).toMatchObject({ kind: 'answered', status: 401 });
    expect(seen).toHaveLength(2);
  });

  it('sends no credentials to another origin, not even to another port of the host', async () => {
    const thief = await protectedSite((_, response) => response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="give"' }).end());
    const { url } = await protectedSite((_, response) => response.writeHead(302, { Location: thief.url }).end());
    expect(await fetchSignedIn(url)).toMatchObject({ kind: 'answered', status: 401 });
    expect(thief.seen).toEqual([undefined]);
  });
});
