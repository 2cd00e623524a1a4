import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { stateAllowedMethods } from './route-methods.ts';

const ran: string[] = [];
let app: FastifyInstance;
let address: string;
beforeAll(async () => {
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  stateAllowedMethods(app, { cors: false });
  for (const url of ['/api/project/:id', '/api/project/create', '/api/project/:id/start', '/api/tile/*', '/api/badge.svg'])
    app.get(url, (request) => {
      ran.push(`${request.method} ${url}`);
      return { url };
    });
  app.put('/api/project/:id', () => ({}));
  app.patch('/api/project/:id', () => ({}));
  app.post('/api/project/create', () => ({}));
  address = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await app.close();
});

async function answer(method: string, url: string) {
  const got = await fetch(`${address}${url}`, { method });
  return { status: got.status, allow: got.headers.get('allow'), acceptPatch: got.headers.get('accept-patch'), body: await got.text() };
}

describe('OPTIONS', () => {
  it.each([
    ['/api/project/a', 'GET, HEAD, PUT, PATCH, OPTIONS'],
    ['/api/project/a/', 'GET, HEAD, PUT, PATCH, OPTIONS'],
    ['/api/project/a?x=%zz', 'GET, HEAD, PUT, PATCH, OPTIONS'],
    ['/api/project/creat%65', 'GET, POST, PUT, PATCH, OPTIONS'],
    ['/api/project/a/start', 'GET, OPTIONS'],
    ['/api/tile/0/x001/000', 'GET, HEAD, OPTIONS'],
    ['/api/badge.svg', 'GET, HEAD, OPTIONS'],
  ])('of %s is answered with its methods', async (url, allow) => {
    expect(await answer('OPTIONS', url)).toMatchObject({ status: 204, allow, body: '' });
  });

  it('names what PATCH takes', async () => {
    expect((await answer('OPTIONS', '/api/project/a')).acceptPatch).toContain('application/merge-patch+json');
    expect((await answer('OPTIONS', '/api/badge.svg')).acceptPatch).toBeNull();
  });

  it('names what PATCH takes also in an answer to PATCH, such as 415', async () => {
    expect((await answer('PATCH', '/api/project/a')).acceptPatch).toBe('application/merge-patch+json, application/json');
    expect((await answer('PUT', '/api/project/a')).acceptPatch).toBeNull();
  });

  it('of an unknown path is 404', async () => {
    for (const url of ['/api/project', '/api/badgexsvg', '/api', `/api/project/${'x'.repeat(301)}`])
      expect([url, await answer('OPTIONS', url)]).toEqual([url, expect.objectContaining({ status: 404, allow: null })]);
  });
});

describe('a preflight', () => {
  it('is left to the answer of CORS where that is configured, and states the methods, too', async () => {
    const withCors = fastify();
    stateAllowedMethods(withCors, { cors: true });
    withCors.options('*', (_, reply) => reply.status(299).send());
    withCors.get('/api/project/:id', () => ({}));
    const url = `${await withCors.listen({ port: 0, host: '127.0.0.1' })}/api/project/a`;
    const origin = { origin: 'https://page.example' };
    const preflight = await fetch(url, { method: 'OPTIONS', headers: { ...origin, 'access-control-request-method': 'GET' } });
    const plain = await fetch(url, { method: 'OPTIONS', headers: origin });
    await withCors.close();
    const allow = 'GET, HEAD, OPTIONS';
    expect([preflight, plain].map(({ status, headers }) => [status, headers.get('allow')])).toEqual([
      [299, allow],
      [204, allow],
    ]);
  });
});

describe('another method of a known path', () => {
  it('is 404 with the methods that the path has', async () => {
    expect(await answer('DELETE', '/api/project/a')).toMatchObject({ status: 404, allow: 'GET, HEAD, PUT, PATCH, OPTIONS' });
    expect(await answer('DELETE', '/api/nothing')).toMatchObject({ status: 404, allow: null });
  });
});

describe('HEAD', () => {
  it('of a GET that changes something is 404, and does not run it', async () => {
    for (const url of ['/api/project/create', '/api/project/creat%65', '/api/project/a/start/'])
      expect(await answer('HEAD', url)).toMatchObject({ status: 404, allow: expect.not.stringContaining('HEAD') });
    expect(ran).toEqual([]);
    expect(await answer('HEAD', '/api/project/a')).toMatchObject({ status: 200, body: '' });
  });
});
