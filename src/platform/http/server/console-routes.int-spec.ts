import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { precompress } from '../../../operations/launch/precompress.mjs';
import { readConsoleFiles, serveConsole } from './console-routes.ts';

const PAGE = '<!doctype html><title>Console</title>';
const SCRIPT = 'console.log(1);'.repeat(200);
const ASSET = '/console/assets/main-5XQ2.js';

let folder: string;
let app: FastifyInstance;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-console-'));
  await mkdir(join(folder, 'built/assets'), { recursive: true });
  await writeFile(join(folder, 'built/index.html'), PAGE);
  await writeFile(join(folder, 'built/assets/main-5XQ2.js'), SCRIPT);
  precompress(join(folder, 'built'));
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  serveConsole(app, () => readConsoleFiles(pathToFileURL(`${join(folder, 'built')}/`)));
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

interface Received {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawPayload: Buffer;
  readonly body: string;
}

/** The path and the bytes as they travel. */
async function get(path: string, headers: Record<string, string> = {}, from = app): Promise<Received> {
  const { port } = from.server.address() as AddressInfo;
  const [answer] = (await once(request({ port, path, headers, agent: false }).end(), 'response')) as [IncomingMessage];
  const rawPayload = await buffer(answer);
  return { statusCode: answer.statusCode ?? 0, headers: answer.headers, rawPayload, body: rawPayload.toString() };
}

describe('the address of the service', () => {
  it('leads a browser to the console, and answers a program as any unknown path', async () => {
    const browser = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([browser.statusCode, browser.headers.location, browser.headers.vary]).toEqual([302, 'console/', 'Accept']);
    for (const accept of ['*/*', 'application/json']) expect((await get('/', { accept })).statusCode).toBe(404);
  });
});

describe('the console', () => {
  it.each(['/console', '/console/', '/console/sites/7?asOf=9', '/console/index.html'])('shows its page under %s', async (url) => {
    const { statusCode, headers, body } = await get(url);
    expect([statusCode, headers['content-type'], headers['cache-control'], body]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
      PAGE,
    ]);
  });

  it('lets the browser run its own scripts only, and none that is made of text', async () => {
    const policy = String((await get('/console/')).headers['content-security-policy']);
    expect(policy).not.toMatch(/unsafe|\*|http/);
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy.split('; ')).toContain(part);
    expect((await get(ASSET)).headers).toMatchObject({
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  it('has assets that a browser keeps for good, in the smallest form that it accepts', async () => {
    const [brotli, gzip, plain] = [
      await get(ASSET, { 'accept-encoding': 'gzip, deflate, br' }),
      await get(ASSET, { 'accept-encoding': 'gzip, br;q=0' }),
      await get(ASSET),
    ];
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(SCRIPT);
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(SCRIPT);
    expect(plain.body).toBe(SCRIPT);
    expect([brotli, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined]);
    const { 'cache-control': caching, 'content-type': type, vary } = brotli.headers;
    expect([caching, type, vary]).toEqual(['public, max-age=31536000, immutable', 'text/javascript; charset=utf-8', 'Accept-Encoding']);
  });

  it('is not sent again to a browser that has it', async () => {
    const { etag = '' } = (await get('/console/')).headers;
    expect((await get('/console/sites/7', { 'if-none-match': etag })).statusCode).toBe(304);
  });

  it.each([
    '/console/assets/none.js',
    '/console/assets/../index.html',
    '/console/assets/%2e%2e%2findex.html',
    '/console/assets/main-5XQ2.js.br',
  ])('has nothing else: %s', async (url) => {
    const { statusCode, body } = await get(url);
    expect([statusCode === 404 || body === PAGE, body.includes('SCRIPT')]).toEqual([true, false]);
  });

  it('is not there in a build without it', async () => {
    const without = fastify();
    serveConsole(without, () => readConsoleFiles(pathToFileURL(`${join(folder, 'none')}/`)));
    await without.listen({ port: 0, host: '127.0.0.1' });
    expect((await get('/console/', {}, without)).statusCode).toBe(404);
    await without.close();
  });
});
