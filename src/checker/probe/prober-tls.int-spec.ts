import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { constants } from 'node:http2';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { compiledWorker } from '../../../test/support/compiled-worker.ts';
import { answered, authority, fetch, OpenSites, textOf } from '../../../test/support/probing.ts';
import { makeAuthority, makeIdentity } from '../../../test/support/servers/certificates.ts';
import { type Site, startHttp2, startHttps } from '../../../test/support/servers/site.ts';

const sites = new OpenSites();
afterEach(() => sites.close());

describe('TLS', () => {
  const good = makeIdentity({ hosts: ['site.test', '127.0.0.1'] }, authority);
  let closing: Site[] = [];
  let h1 = '';
  let h2 = '';
  beforeAll(async () => {
    const one = await startHttps(good, (request, response) => response.end(`over ${request.httpVersion}`));
    const two = await startHttp2(good, (request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      if (request.url === '/gzip') response.setHeader('content-encoding', 'gzip');
      const text = `over ${request.httpVersion} ${request.headers[':authority'] ?? ''}`;
      response.end(request.url === '/gzip' ? gzipSync(text) : text);
    });
    closing = [one, two];
    h1 = `https://site.test:${String(one.port)}/`;
    h2 = `https://site.test:${String(two.port)}/`;
  });
  afterAll(async () => {
    for (const site of closing) await site.close();
  });

  it('shows the certificate of the same connection', async () => {
    const outcome = await answered(h1);
    expect(textOf(outcome)).toBe('over 1.1');
    expect(outcome.certificate).toMatchObject({
      subject: 'CN=site.test',
      issuer: 'CN=Test Root',
      names: ['site.test', '127.0.0.1'],
      problem: null,
    });
    expect(outcome.certificate?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(outcome.certificate?.chain[0]).toMatchObject({ subject: 'CN=Test Root' });
    expect(outcome.phases.tls).toBeGreaterThan(0);
  });

  it('uses HTTP/2 if the server offers it, unless switched off', async () => {
    const two = await answered(h2);
    expect(two).toMatchObject({ httpVersion: '2', status: 200, statusText: '' });
    expect(textOf(two)).toBe(`over 2.0 ${new URL(h2).host}`);
    expect(two.headers.filter(([name]) => name === 'set-cookie')).toHaveLength(2);
    expect(textOf(await answered(`${h2}gzip`))).toBe(`over 2.0 ${new URL(h2).host}`);
    const one = await answered(h2, { options: { http1Only: true } });
    expect(one.httpVersion).toBe('1.1');
    expect(await answered(`https://127.0.0.1:${new URL(h2).port}/`)).toMatchObject({ httpVersion: '2' });
  });

  it.each(['stream', 'connection'])('repeats a request over HTTP/1.1 if the server requires that for the %s', async (of) => {
    const received: string[] = [];
    const site = await sites.keep(
      startHttp2(good, (request, response) => {
        received.push(`${request.httpVersion} ${request.method} ${request.headers.cookie ?? ''}`);
        if (request.httpVersion === '1.1') response.end('signed in');
        else if (of === 'stream') response.stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED);
        else response.stream.session?.goaway(constants.NGHTTP2_HTTP_1_1_REQUIRED);
      }),
    );
    const body = { contentType: 'text/plain', bytes: Buffer.from('a') };
    const outcome = await answered(`https://site.test:${String(site.port)}/`, { method: 'POST', body, headers: [['Cookie', 'a=1']] });
    expect(textOf(outcome)).toBe('signed in');
    expect(outcome).toMatchObject({ httpVersion: '1.1', hops: [] });
    expect(received).toEqual(['2.0 POST a=1', '1.1 POST a=1']);
  });

  it.each([
    ['a wrong name', 'other.test', makeIdentity({ hosts: ['site.test'] }, authority), 'it is for site.test and not for other.test'],
    ['no authority', 'site.test', makeIdentity({ hosts: ['site.test'] }), 'it is self-signed'],
    ['an unknown authority', 'site.test', makeIdentity({ hosts: ['site.test'] }, makeAuthority('Elsewhere')), /its issuer is not trusted/],
    [
      'its end in the past',
      'site.test',
      makeIdentity({ hosts: ['site.test'], validTo: new Date('2026-01-02T03:04:05Z') }, authority),
      'it expired on 2026-01-02',
    ],
    [
      'its beginning in the future',
      'site.test',
      makeIdentity({ hosts: ['site.test'], validFrom: new Date('2099-01-02T03:04:05Z'), validTo: new Date('2100-01-01') }, authority),
      'it is not valid before 2099-01-02T03:04:05.000Z',
    ],
  ])('fails on a certificate with %s, shows it, and sends nothing', async (_, host, identity, problem) => {
    let received = 0;
    const site = await sites.keep(startHttps(identity, (_request, response) => response.end(String(received++))));
    const outcome = await fetch(`https://${host}:${String(site.port)}/`);
    expect(outcome).toMatchObject({ kind: 'failed', code: 'certificate', during: 'tls', certificate: { subject: 'CN=site.test' } });
    expect(outcome.certificate?.problem).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
    expect(received).toBe(0);
  });

  it('shows the certificate of a site that then does not answer', async () => {
    const site = await sites.keep(startHttps(good, () => undefined));
    const outcome = await fetch(`https://site.test:${String(site.port)}/`, { timeoutMs: 3_000 });
    expect(outcome).toMatchObject({
      kind: 'timedOut',
      during: 'wait',
      address: '127.0.0.1',
      certificate: { subject: 'CN=site.test', problem: null },
    });
  });

  it('trusts the roots of NODE_EXTRA_CA_CERTS', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'roots-'));
    const roots = join(folder, 'roots.pem');
    await writeFile(roots, authority.cert);
    const program = `
      const { Prober } = await import(${JSON.stringify(compiledWorker(new URL('./prober.ts', import.meta.url)).href)});
      const { SsrfGuard } = await import(${JSON.stringify(compiledWorker(new URL('../../platform/security/ssrf-guard/ssrf-guard.ts', import.meta.url)).href)});
      const prober = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) });
      console.log((await prober.fetch({ url: process.argv[1], timeoutMs: 3000, userAgent: 'x' })).kind);`;
    const run = async (env: NodeJS.ProcessEnv): Promise<string> => {
      const args = ['--input-type=module', '-e', program, `https://127.0.0.1:${new URL(h1).port}/`];
      return (await promisify(execFile)(process.execPath, args, { env: { ...env, NODE_OPTIONS: '' } })).stdout.trim();
    };
    expect(await run({ NODE_EXTRA_CA_CERTS: roots })).toBe('answered');
    expect(await run({})).toBe('failed');
    await rm(folder, { recursive: true });
  });

  it('fails if the server does not speak TLS', async () => {
    const site = await sites.serve((_, response) => response.end());
    expect(await fetch(`https://127.0.0.1:${String(site.port)}/`)).toMatchObject({ kind: 'failed', code: 'tls' });
  });
});
