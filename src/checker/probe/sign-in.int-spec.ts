import { afterEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttp, type Site } from '../../../test/support/servers/site.ts';
import { SsrfGuard } from '../../security/ssrf-guard/ssrf-guard.ts';
import type { FetchOutcome } from './outcome.ts';
import { ProbeSession } from './probe-session.ts';
import { Prober } from './prober.ts';

const prober = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) });
const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

interface Door {
  readonly url: string;
  readonly seen: (string | undefined)[];
}

async function door(open: (request: IncomingMessage, response: ServerResponse) => void): Promise<Door> {
  const seen: (string | undefined)[] = [];
  const site = await startHttp((request, response) => {
    seen.push(request.headers.authorization);
    open(request, response);
  });
  sites.push(site);
  return { url: site.url, seen };
}

const enter = (url: string, signInUrl = url, session = new ProbeSession()): Promise<FetchOutcome> =>
  prober.fetch({
    url,
    timeoutMs: 2000,
    userAgent: 'test',
    session,
    credentials: { url: signInUrl, user: 'Mufasa', password: 'Circle of Life' },
  });

/** As RFC 7616 tells a server to look at it; every nonce is good once. */
function digestDoor(algorithm: 'MD5' | 'SHA-256', hash: string): (request: IncomingMessage, response: ServerResponse) => void {
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

describe('signing in', () => {
  it('answers a Basic challenge, and in a run does so at once from then on', async () => {
    const expected = `Basic ${Buffer.from('Mufasa:Circle of Life').toString('base64')}`;
    const { url, seen } = await door((request, response) =>
      request.headers.authorization === expected
        ? response.end('in')
        : response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end(),
    );
    const session = new ProbeSession();
    expect(await enter(url, url, session)).toMatchObject({ kind: 'answered', status: 200 });
    expect(await enter(`${url}/more`, url, session)).toMatchObject({ kind: 'answered', status: 200 });
    expect(seen).toEqual([undefined, expected, expected]);
  });

  it.each([
    ['MD5', 'md5'],
    ['SHA-256', 'sha256'],
  ] as const)('answers a Digest challenge (%s) before a Basic one, and a new one when the old has gone stale', async (algorithm, hash) => {
    const { url, seen } = await door(digestDoor(algorithm, hash));
    const session = new ProbeSession();
    for (const path of ['/a?b=c', '/d'])
      expect(await enter(`${url}${path}`, url, session)).toMatchObject({ kind: 'answered', status: 200 });
    expect(seen.filter((header) => header?.startsWith('Basic'))).toEqual([]);
    expect(seen).toHaveLength(4);
  });

  it('answers once more, after a redirect, a server whose nonces are good for one request', async () => {
    const { url, seen } = await door(digestDoor('MD5', 'md5'));
    expect(await enter(`${url}/moved`, url)).toMatchObject({ kind: 'answered', status: 200 });
    expect(seen).toHaveLength(4);
    const never = await door((_, response) =>
      response.writeHead(401, { 'WWW-Authenticate': 'Digest realm="x", nonce="a", qop="auth", stale=true' }).end(),
    );
    expect(await enter(never.url)).toMatchObject({ kind: 'answered', status: 401 });
    expect(never.seen).toHaveLength(2);
  });

  it('takes a second refusal for the answer', async () => {
    const { url, seen } = await door((_, response) => response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end());
    expect(await enter(url)).toMatchObject({ kind: 'answered', status: 401 });
    expect(seen).toHaveLength(2);
  });

  it('tells nothing to another origin, not even to another port of the host', async () => {
    const thief = await door((_, response) => response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="give"' }).end());
    const { url } = await door((_, response) => response.writeHead(302, { Location: thief.url }).end());
    expect(await enter(url)).toMatchObject({ kind: 'answered', status: 401 });
    expect(thief.seen).toEqual([undefined]);
  });
});
