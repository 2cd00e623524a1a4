import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { NotAuthenticated } from '../errors/refusals.ts';
import { answerOf } from '../errors/answer-of.ts';
import { DEFAULT_BODY_LIMIT, raiseLimitWithToken, readJson, refuseUselessBodies } from './request-bodies.ts';

const app = fastify({ bodyLimit: DEFAULT_BODY_LIMIT });
let url: string;
beforeAll(async () => {
  readJson(app);
  raiseLimitWithToken(app, (operation) => operation === 'POST /public');
  refuseUselessBodies(app, ({ headers }) =>
    headers.authorization === 'Bearer bad' ? Promise.reject(new NotAuthenticated()) : Promise.resolve(),
  );
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = answerOf(error, request.id);
    return reply.status(status).send(body);
  });
  for (const path of ['/api/public', '/api/private']) app.post(path, ({ body }) => ({ length: JSON.stringify(body).length }));
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

const post = async (path: string, body: string, signedIn: object = { authorization: 'Bearer x' }): Promise<readonly [number, string]> => {
  const headers = { 'content-type': 'application/json', ...signedIn };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body });
  return [answer.status, await answer.text()];
};
const named = (count: number): string => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${String(n)}`, 1])));
const listed = (count: number): string => `{"list":[${'0,'.repeat(count - 2)}0]}`;

/** The status line that answers a head whose body never comes. */
async function answerToHead(head: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${head}\r\nHost: x\r\n\r\n`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return chunk.toString().split('\r\n')[0] ?? '';
}

describe('the body of a request', () => {
  it('has at most 16 KiB and 200 values where no token is needed', async () => {
    expect((await post('/api/public', named(200)))[0]).toBe(200);
    expect(await post('/api/public', named(201))).toEqual([400, expect.stringContaining('more than 200 names and list elements')]);
    expect((await post('/api/public', JSON.stringify({ text: 'x'.repeat(16_300) })))[0]).toBe(200);
    expect((await post('/api/public', JSON.stringify({ text: 'x'.repeat(16_400) })))[0]).toBe(413);
  });

  it('has at most 1 MiB and 5,000 values where a token is needed, nested ones included', async () => {
    expect((await post('/api/private', listed(5_000)))[0]).toBe(200);
    expect(await post('/api/private', listed(5_001))).toEqual([400, expect.stringContaining('more than 5000 names and list elements')]);
    expect((await post('/api/private', `{"a":${named(5_000)}}`))[0]).toBe(400);
    expect((await post('/api/private', JSON.stringify({ text: 'x'.repeat(1_048_000) })))[0]).toBe(200);
    expect((await post('/api/private', JSON.stringify({ text: 'x'.repeat(1_049_000) })))[0]).toBe(413);
  });

  it('is refused before it is sent when nothing would read it', async () => {
    expect((await post('/api/private', JSON.stringify({ text: 'x'.repeat(16_000) }), {}))[0]).toBe(200);
    expect((await post('/api/private', JSON.stringify({ text: 'x'.repeat(17_000) }), {}))[0]).toBe(401);
    expect((await post('/api/private', JSON.stringify({ text: 'x'.repeat(17_000) }), { cookie: 'watchledger-session=x' }))[0]).toBe(200);
    const length = 'Content-Length: 20000';
    expect(await answerToHead(`POST /api/private HTTP/1.1\r\n${length}`)).toContain(' 401 ');
    expect(await answerToHead('POST /api/private HTTP/1.1\r\nTransfer-Encoding: chunked')).toContain(' 401 ');
    expect(await answerToHead(`POST /api/private HTTP/1.1\r\nAuthorization: Bearer bad\r\n${length}`)).toContain(' 401 ');
    expect(await answerToHead(`POST /api/public HTTP/1.1\r\n${length}`)).toContain(' 413 ');
    expect(await answerToHead('POST /nowhere HTTP/1.1\r\nContent-Length: 2')).toContain(' 404 ');
    expect(await answerToHead('POST /api/nowhere HTTP/1.1\r\nTransfer-Encoding: chunked')).toContain(' 404 ');
  });
});
