import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { answered, fetch, OpenSites, textOf } from '../../../test/support/probing.ts';
import { startHttp } from '../../../test/support/servers/site.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { CachedResolver } from '../../platform/security/ssrf-guard/resolver.ts';
import { Prober } from './prober.ts';

const sites = new OpenSites();
afterEach(() => sites.close());

describe('a plain answer', () => {
  it('has status, headers, body, size, address, and phases that add up to the total', async () => {
    const site = await sites.serve((_, response) => {
      response.writeHead(203, 'Sort Of', ['Content-Type', 'text/plain', 'X-A', '1', 'x-a', 'gr\u00c3\u00bcn']);
      setTimeout(() => response.end('hello'), 30);
    });
    const outcome = await answered(`${site.url}/a?b=1`);
    expect(outcome).toMatchObject({
      httpVersion: '1.1',
      status: 203,
      statusText: 'Sort Of',
      size: 5,
      cut: false,
      address: '127.0.0.1',
      certificate: null,
      hops: [],
    });
    expect(outcome.headers.filter(([name]) => name.toLowerCase() === 'x-a')).toEqual([
      ['X-A', '1'],
      ['x-a', 'grün'],
    ]);
    expect(textOf(outcome)).toBe('hello');
    const { total, ...parts } = outcome.phases;
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(total, 6);
    expect(parts.wait + parts.download).toBeGreaterThan(25);
    expect(parts.connect).toBeGreaterThan(0);
    expect(parts.tls).toBe(0);
  });

  it('is requested with host, user agent and accepted codings, over a new connection', async () => {
    const seen: string[][] = [];
    const site = await sites.serve((request, response) => {
      seen.push(request.rawHeaders);
      response.end();
    });
    await answered(`http://site.test:${String(site.port)}/`, { headers: [['X-Token', 'žluť']] });
    await answered(`${site.url}/`, { options: { uncompressed: true } });
    expect(seen[0]).toEqual(
      expect.arrayContaining(['Host', `site.test:${String(site.port)}`, 'User-Agent', 'Watchledger test', 'Connection', 'close']),
    );
    expect(Buffer.from(seen[0]?.[seen[0].indexOf('X-Token') + 1] ?? '', 'latin1').toString()).toBe('žluť');
    expect(seen[1]?.[seen[1].indexOf('Accept-Encoding') + 1]).toBe('identity');
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
    ['UTF-8', (text: string) => Buffer.from(text)],
  ])('is decoded from %s', async (coding, encode) => {
    const site = await sites.serve((_, response) =>
      response.writeHead(200, { 'Content-Encoding': coding }).end(encode('čau '.repeat(5000))),
    );
    const outcome = await answered(site.url);
    expect(textOf(outcome)).toBe('čau '.repeat(5000));
    expect(outcome.size < 25_000).toBe(!['identity', 'UTF-8'].includes(coding));
  });

  it('comes from the next address if one does not answer', async () => {
    const site = await sites.serve((_, response) => response.end('here'));
    expect(await answered(`http://half.test:${String(site.port)}`)).toMatchObject({ address: '127.0.0.1' });
  });

  it('comes from IPv6 only if requested', async () => {
    const site = await sites.keep(startHttp((_, response) => response.end('six'), '::1'));
    expect(await answered(`http://six.test:${String(site.port)}`, { options: { ipv6Only: true } })).toMatchObject({ address: '::1' });
    expect(await fetch(`http://site.test:${String(site.port)}`, { options: { ipv6Only: true } })).toMatchObject({
      kind: 'failed',
      code: 'name',
      reason: 'site.test has no IPv6 address',
    });
  });
});

describe('redirects', () => {
  let port = '';
  let seen: { url: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  beforeEach(() => {
    seen = [];
  });

  const chain: RequestListener = (request, response) => {
    seen.push({ url: `${request.headers.host ?? ''}${request.url ?? ''}`, headers: request.headers });
    if (request.url === '/1')
      response.writeHead(301, { Location: '/2', 'Set-Cookie': ['a=1; Path=/', 'foreign=1; Domain=elsewhere.test'] }).end('moved');
    else if (request.url === '/2') response.writeHead(302, { Location: `http://other.test:${port}/3` }).end();
    else if (request.url === '/3') response.writeHead(307, { Location: `http://site.test:${port}/4`, 'Set-Cookie': 'b=2' }).end();
    else response.end('arrived');
  };

  it('are followed, timed and reported, with cookies for their hosts, and extra headers for their origin only', async () => {
    const site = await sites.serve(chain);
    port = String(site.port);
    const outcome = await answered(`http://site.test:${port}/1`, { headers: [['X-Secret', 's']] });
    expect(textOf(outcome)).toBe('arrived');
    expect(outcome.url).toBe(`http://site.test:${port}/4`);
    expect(outcome.hops.map(({ status, location, to }) => [status, location, to])).toEqual([
      [301, '/2', `http://site.test:${port}/2`],
      [302, `http://other.test:${port}/3`, `http://other.test:${port}/3`],
      [307, `http://site.test:${port}/4`, `http://site.test:${port}/4`],
    ]);
    expect(seen.map(({ headers }) => [headers.cookie, headers['x-secret']])).toEqual([
      [undefined, 's'],
      ['a=1', 's'],
      [undefined, undefined],
      ['a=1', 's'],
    ]);
    const hopTotals = outcome.hops.reduce((sum, hop) => sum + hop.phases.total, 0);
    expect(outcome.phases.total).toBeGreaterThan(hopTotals);
    seen = [];
    await answered(`http://site.test:${port}/2`);
    expect(seen[0]?.headers.cookie).toBeUndefined();
  });

  it('are not followed if requested', async () => {
    const site = await sites.serve(chain);
    expect(await answered(`${site.url}/1`, { options: { stayOnFirst: true } })).toMatchObject({ status: 301, hops: [], size: 5 });
  });

  it.each([
    ['http://169.254.169.254/latest', /redirects to http:\/\/169\.254.*is not a public address/],
    ['file:///etc/passwd', /neither http nor https/],
    ['http://user:pw@other.test/', /user name or password/],
    ['http://other.test:6379/', /port 6379/],
    ['/loop', /more than 10 times/],
  ])('to %s fail with the reason', async (location, why) => {
    const site = await sites.serve((_, response) => response.writeHead(302, { Location: location }).end());
    const outcome = await fetch(`${site.url}/loop`);
    expect(outcome).toMatchObject({ kind: 'failed', code: 'redirect' });
    expect(outcome.kind === 'failed' ? outcome.reason : '').toMatch(why);
    expect(outcome.hops.length <= 10).toBe(true);
  });

  it('turn POST into GET after 303, and never send a body to another origin', async () => {
    const asked: string[] = [];
    const site = await sites.serve((request, response) => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
      if (request.url === '/303') response.writeHead(303, { Location: '/page' }).end();
      else if (request.url === '/307') response.writeHead(307, { Location: '/again' }).end();
      else if (request.url === '/away') response.writeHead(308, { Location: `http://other.test:${port}/` }).end();
      else response.end();
    });
    port = String(site.port);
    const body = { contentType: 'text/plain', bytes: Buffer.from('secret') };
    for (const path of ['/303', '/307']) await answered(`http://site.test:${port}${path}`, { method: 'POST', body });
    expect(asked).toEqual(['POST /303', 'GET /page', 'POST /307', 'POST /again']);
    expect(await fetch(`http://site.test:${port}/away`, { method: 'POST', body })).toMatchObject({ kind: 'failed', code: 'redirect' });
    expect(asked.at(-1)).toBe('POST /away');
  });
});

describe('a probe without an answer', () => {
  it('has failed after an unknown name, a refused connection, or a forbidden target', async () => {
    expect(await fetch('http://unknown.test/')).toMatchObject({
      kind: 'failed',
      code: 'name',
      during: 'dns',
      reason: 'the name unknown.test does not exist',
    });
    const site = await startHttp((_, response) => response.end());
    await site.close();
    expect(await fetch(site.url)).toMatchObject({ kind: 'failed', code: 'connection', reason: 'the connection was refused' });
    expect(await fetch('http://10.0.0.1/')).toMatchObject({ kind: 'failed', code: 'target', reason: '10.0.0.1 is not a public address' });
  });

  it('has failed if one address refuses, even without a route to another', async () => {
    const site = await startHttp((_, response) => response.end());
    await site.close();
    expect(await fetch(`http://refusing.test:${String(site.port)}`)).toMatchObject({
      kind: 'failed',
      reason: 'the connection was refused',
    });
    expect((await fetch('http://255.255.255.255/')).kind).toBe('inconclusive');
  });

  it('is inconclusive if aborted', async () => {
    const site = await sites.serve(() => undefined);
    const abort = new AbortController();
    const running = fetch(site.url, { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    expect(await running).toMatchObject({ kind: 'inconclusive', reason: 'the probe was aborted' });
    expect(await fetch(site.url, { signal: abort.signal })).toMatchObject({ kind: 'inconclusive' });
  });

  it('has failed if a name resolves to a forbidden address the second time (DNS rebinding)', async () => {
    const site = await sites.serve((_, response) =>
      response.writeHead(302, { Location: `http://rebinding.test:${site.url.split(':')[2] ?? ''}/` }).end(),
    );
    let asked = 0;
    const rebinding = new CachedResolver({
      hosts: { addresses: () => Promise.resolve([]) },
      names: {
        resolve4: () => Promise.resolve({ kind: 'found', records: [{ address: asked++ === 0 ? '127.0.0.1' : '10.0.0.1', ttl: 0 }] }),
        resolve6: () => Promise.resolve({ kind: 'none' }),
        lookup: () => Promise.resolve([]),
        heardAt: () => performance.now(),
      },
    });
    const rebound = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'], resolver: rebinding }) });
    const outcome = await rebound.fetch({ url: `http://rebinding.test:${String(site.port)}/`, timeoutMs: 30_000, userAgent: 'x' });
    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'target',
      reason: 'rebinding.test is not a public address',
    });
    expect(outcome.hops).toHaveLength(1);
  });

  it('is inconclusive if no name server answers, or if this machine is too busy to measure', async () => {
    const withoutDns = new Prober({
      guard: new SsrfGuard({
        resolver: new CachedResolver({
          hosts: { addresses: () => Promise.resolve([]) },
          names: {
            resolve4: () => new Promise(() => undefined),
            resolve6: () => new Promise(() => undefined),
            lookup: () => Promise.resolve([]),
            heardAt: () => -1,
          },
        }),
      }),
    });
    expect(await withoutDns.fetch({ url: 'http://a.test/', timeoutMs: 100, userAgent: 'x' })).toMatchObject({
      kind: 'inconclusive',
      reason: 'no name server answers',
    });
    const site = await sites.serve((_, response) => setTimeout(() => response.end(), 50));
    const running = fetch(site.url, { timeoutMs: 100 });
    const until = performance.now() + 400;
    while (performance.now() < until);
    expect(await running).toMatchObject({ kind: 'inconclusive', reason: 'this machine was too busy to measure' });
  });
});
