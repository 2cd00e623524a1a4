import { Readable } from 'node:stream';
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { securityHeaders, stopBodyOnHead } from './hooks.ts';

const LINES = 1_000;

async function request(method: 'GET' | 'HEAD') {
  let [began, produced, ended] = [false, 0, false];
  async function* lines(): AsyncGenerator<string> {
    began = true;
    try {
      for (; produced < LINES; produced++) {
        yield `${String(produced)}\n`;
        await eventLoopTick();
      }
    } finally {
      ended = true;
    }
  }
  const app = fastify();
  stopBodyOnHead(app);
  app.get('/lines', (_, reply) => reply.type('application/x-ndjson').send(Readable.from(lines(), { objectMode: false })));
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const answer = await fetch(`${address}/lines`, { method, headers: { connection: 'close' } });
  const { length } = await answer.text();
  // A generator that never began never ends: wait a bounded number of ticks.
  for (let n = 0; n < 3 * LINES && !ended; n++) await eventLoopTick();
  await app.close();
  return { status: answer.status, type: answer.headers.get('content-type'), length, produced, began };
}

describe('a streamed answer', () => {
  it('is sent to its end on GET', async () => {
    expect(await request('GET')).toMatchObject({ status: 200, type: 'application/x-ndjson', length: 3890, produced: LINES });
  });

  it('is not produced on HEAD, which answers with the headers only', async () => {
    // Not even begun: the first line of an export counts all that follow.
    expect(await request('HEAD')).toMatchObject({ status: 200, type: 'application/x-ndjson', length: 0, produced: 0, began: false });
  });
});

describe('HSTS', () => {
  it.each([
    ['https://watch.example', 'max-age=31536000'],
    ['http://watch.example', undefined],
    [undefined, undefined],
  ])('under the public URL %s is %s', (publicUrl, expected) => {
    expect(Object.entries(securityHeaders(publicUrl)).find(([name]) => name === 'strict-transport-security')?.[1]).toBe(expected);
  });
});
