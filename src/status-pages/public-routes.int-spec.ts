import { type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HttpAdapterHost } from '@nestjs/core';
import fastify, { type FastifyInstance } from 'fastify';
import { examplePage } from '../../test/support/status-page-model.ts';
import { draftsOnly, noColors, noWords } from './status-page.settings.ts';
import { QueueFull } from '../kernel/concurrency-limit.ts';
import { RateLimiter } from '../accounts/budgets/rate-limit.ts';
import type { ServedPage } from './page-cache.ts';
import { statusPathOf } from './page/page-address.ts';
import { PageDoor } from './page-door.ts';
import type { PagePasswords } from './page-passwords.ts';
import { PublicPages } from './public-pages.ts';
import { PublicStatusRoutes } from './public-routes.ts';

const served: ServedPage = {
  page: {
    ...{ pageId: 'a', password: null, by: 1, createdAt: '', openedAt: '', openedN: 3, changedAt: '', changedN: 3, order: 3, hosts: [] },
    settings: {
      ...({
        slug: 'example',
        title: 'Example',
        access: 'public',
        languages: ['en', 'de', 'cs'],
        groups: [],
        words: noWords,
        colors: noColors,
      } as const),
      automatic: draftsOnly,
    },
  },
  ...{ model: examplePage(), staleSince: null, bodies: new Map(), checkedAt: 0, readAt: 0 },
};

const PROXY = '192.0.2.1';
/** Requests of one address that find no page, or look at the log. */
const MOST = 10;
const lines: string[] = [];
let app: FastifyInstance;
let looks = 0;

/** The real routes and pages on a Fastify, with a cache in which one page stands. */
beforeAll(async () => {
  const stream = new Writable({
    write: (line: Buffer, _encoding, done) => {
      lines.push(line.toString());
      done();
    },
  });
  app = fastify({ logger: { level: 'warn', stream }, trustProxy: PROXY });
  const cache = {
    current: (slug: string) => (slug === 'example' ? served : undefined),
    get: (slug: string) => {
      looks++;
      return slug === 'busy' ? Promise.reject(new QueueFull()) : Promise.resolve(null);
    },
  };
  const passwords = { isOpen: () => Promise.resolve(false), open: () => Promise.resolve(null) };
  // Casts: nothing else of them is used by these requests.
  const none = {} as never;
  const pages = new PublicPages({ cache } as never, none, none, none, none, none, none);
  const host = { httpAdapter: { getInstance: () => app } } as unknown as HttpAdapterHost;
  const limiter = new RateLimiter(MOST);
  const door = new PageDoor(pages, passwords as unknown as PagePasswords, none, limiter, { baseFor: statusPathOf });
  new PublicStatusRoutes(host, pages, passwords as unknown as PagePasswords, door, { publicUrl: undefined }).onModuleInit();
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

interface Received {
  readonly statusCode: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** As it travels: nothing is decompressed. */
const ask = (path: string, headers: Readonly<Record<string, string>> = {}, form?: string): Promise<Received> =>
  new Promise((done, failed) => {
    const { port } = app.server.address() as AddressInfo;
    const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
    const options = { port, path, method: form === undefined ? 'GET' : 'POST', headers: { host: 'watch.example', ...type, ...headers } };
    const sent = request(options, (answer) => {
      const parts: Buffer[] = [];
      answer
        .on('data', (part: Buffer) => parts.push(part))
        .once('end', () => {
          done({ statusCode: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts).toString() });
        });
    });
    sent.once('error', failed).end(form);
  });

describe('a page in memory', () => {
  it('is answered once, without a look anywhere, in the coding that the reader takes', async () => {
    const plain = await ask('/status/example');
    const [br, gzip] = [
      await ask('/status/example', { 'accept-encoding': 'gzip, br' }),
      await ask('/status/example', { 'accept-encoding': 'gzip' }),
    ];
    expect([plain, br, gzip].map(({ statusCode, headers }) => [statusCode, headers['content-encoding']])).toEqual([
      [200, undefined],
      [200, 'br'],
      [200, 'gzip'],
    ]);
    expect(plain.body).toContain('Checkout is failing.');
    for (const form of ['feed.atom', 'feed.json', 'badge.svg']) expect((await ask(`/status/example/${form}`)).statusCode).toBe(200);
    const { statusCode, body } = await ask('/status/example', { 'if-none-match': String(plain.headers.etag) });
    expect([statusCode, body, looks]).toEqual([304, '', 0]);
    // Fastify warns of a second answer to one request.
    expect(lines).toEqual([]);
  });

  it('keeps few forms of it, however many hosts the requests name', async () => {
    for (let nth = 0; nth < 40; nth++) await ask('/status/example/feed.atom', { host: `h${String(nth)}.example` });
    expect(served.bodies.size).toBeLessThanOrEqual(20);
    expect((await ask('/status/example/feed.atom', { host: 'other.example' })).body).toContain('http://other.example/status/example');
  });
});

describe('the addresses in a feed', () => {
  const feedFrom = async (remoteAddress: string) => {
    const headers = { host: 'watch.example', 'x-forwarded-host': 'forwarded.example', 'x-forwarded-proto': 'https' };
    const { body, headers: answered } = await app.inject({ url: '/status/example/feed.json', remoteAddress, headers });
    return [(JSON.parse(body) as { readonly home_page_url: string }).home_page_url, answered.vary];
  };

  it('follow a forwarded host only where a trusted proxy states it, and the answer says so to caches', async () => {
    const vary = expect.stringContaining('X-Forwarded-Host, X-Forwarded-Proto');
    expect(await feedFrom('192.0.2.2')).toEqual(['http://watch.example/status/example', vary]);
    expect(await feedFrom(PROXY)).toEqual(['https://forwarded.example/status/example', vary]);
  });
});

describe('every other slug', () => {
  it('is 404 alike, and 503 as a page where the look could not be taken', async () => {
    const answers = await Promise.all(['/status/none', '/status/NONE', '/status/%3Cscript%3E'].map((url) => ask(url)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404]);
    expect(answers[2]?.body).not.toContain('<script>');
    const busy = await ask('/status/busy');
    expect([busy.statusCode, busy.headers['retry-after'], busy.body.includes('The status cannot be shown at the moment')]).toEqual([
      503,
      '5',
      true,
    ]);
  });

  it('counts for the address of the reader, as passwords and looks at the log do', async () => {
    const asked: (number | undefined)[] = [];
    // Three were asked for above.
    for (let nth = 3; nth < MOST - 2; nth++) asked.push((await ask(`/status/none-${String(nth)}`)).statusCode);
    for (let nth = 0; nth < 3; nth++) asked.push((await ask('/status/none/password', {}, 'password=x')).statusCode);
    expect(asked).toEqual([...Array<number>(MOST - 3).fill(404), 429]);
    expect((await ask('/status/none')).statusCode).toBe(429);
    expect((await ask('/status/example?asOf=2026-01-01T00:00')).statusCode).toBe(429);
    expect((await ask('/status/example')).statusCode).toBe(200);
    expect(lines).toEqual([]);
  });
});
