import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { endHeadsOfStreams } from './heads-of-streams.ts';

const LINES = 1_000;

async function asked(method: 'GET' | 'HEAD') {
  let [began, made, isOver] = [false, 0, false];
  async function* lines(): AsyncGenerator<string> {
    began = true;
    try {
      for (; made < LINES; made++) {
        yield `${String(made)}\n`;
        await turn();
      }
    } finally {
      isOver = true;
    }
  }
  const app = fastify();
  endHeadsOfStreams(app);
  app.get('/lines', (_, reply) => reply.type('application/x-ndjson').send(Readable.from(lines(), { objectMode: false })));
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const answer = await fetch(`${address}/lines`, { method, headers: { connection: 'close' } });
  const { length } = await answer.text();
  // What nobody began has no end.
  for (let n = 0; n < 3 * LINES && !isOver; n++) await turn();
  await app.close();
  return { status: answer.status, type: answer.headers.get('content-type'), length, made, began };
}

describe('the answer that is a stream', () => {
  it('is sent to its end on a GET', async () => {
    expect(await asked('GET')).toMatchObject({ status: 200, type: 'application/x-ndjson', length: 3890, made: LINES });
  });

  it('is not made on a HEAD, which says what it is', async () => {
    const head = await asked('HEAD');
    // Not even begun: the first line of an export counts all that follows.
    expect(head).toMatchObject({ status: 200, type: 'application/x-ndjson', length: 0, made: 0, began: false });
  });
});
