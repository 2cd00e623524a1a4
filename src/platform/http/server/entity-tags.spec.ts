import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { settingsTagSlot, unchangedSlot } from '../context/request-state.ts';
import { answerConditionally } from './entity-tags.ts';

let app: FastifyInstance;
let address: string;
let title = 'Shop';
let unchanged = 0;
beforeAll(async () => {
  app = fastify();
  answerConditionally(app);
  app.get('/api/thing', () => ({ title }));
  app.get('/api/settings', (request) => {
    settingsTagSlot.set(request, 'settings');
    unchangedSlot.set(request, () => {
      unchanged += 1;
    });
    return { title };
  });
  app.get('/api/stream', () => Readable.from(['lines']));
  app.get('/api/refused', (_request, reply) => reply.code(403).send({ message: 'no' }));
  app.get('/api/project/create', () => ({ title }));
  address = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

async function ask(path: string, given?: string, method = 'GET') {
  const answer = await fetch(`${address}/api/${path}`, { method, headers: given === undefined ? {} : { 'if-none-match': given } });
  return { status: answer.status, etag: answer.headers.get('etag'), vary: answer.headers.get('vary'), body: await answer.text() };
}

it('answers 304 without a body for its own tag, also weak, in a list, or as *, and by HEAD', async () => {
  const { etag, body } = await ask('thing');
  expect(body).toBe('{"title":"Shop"}');
  expect(etag).toMatch(/^"[\w-]{27}"$/);
  const tag = String(etag);
  for (const given of [tag, `W/${tag}`, `"other", ${tag}`, `"a,b" ,W/${tag},`, '*', ' * ']) {
    expect([given, await ask('thing', given)]).toEqual([
      given,
      { status: 304, etag, vary: 'Accept, Authorization, Cookie, Accept-Signature', body: '' },
    ]);
    expect([given, (await ask('thing', given, 'HEAD')).status]).toEqual([given, 304]);
  }
});

it('answers the body for other tags and for what is no tag', async () => {
  const tag = String((await ask('thing')).etag);
  for (const given of ['"other"', 'W/"other"', tag.slice(1, -1), '', '"*"', tag.slice(0, -1)])
    expect([given, (await ask('thing', given)).status]).toEqual([given, 200]);
});

it('has another tag once the body is another', async () => {
  const before = String((await ask('thing')).etag);
  title = 'Other shop';
  const after = await ask('thing', before);
  title = 'Shop';
  expect([after.status, after.etag === before]).toEqual([200, false]);
});

it('has no tag for streams, refusals, and where GET changes something', async () => {
  for (const path of ['stream', 'refused', 'project/create']) expect([path, (await ask(path, '*')).etag]).toEqual([path, null]);
  expect((await ask('refused', '*')).status).toBe(403);
});

it('has the tag of the settings in front, and counts a 304 for less, and no other answer', async () => {
  const { etag } = await ask('settings');
  expect(etag).toMatch(/^"settings\.[\w-]{27}"$/);
  expect((await ask('settings', '"settings"')).status).toBe(200);
  expect(unchanged).toBe(0);
  expect((await ask('settings', String(etag))).status).toBe(304);
  expect(unchanged).toBe(1);
});
