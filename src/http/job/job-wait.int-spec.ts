import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { goneOf } from './job-wait.ts';

let server: Server;
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await once(server, 'close');
});

async function asked(): Promise<{ readonly client: Socket; readonly raw: ServerResponse }> {
  const address = server.address();
  const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n');
  const [, raw] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { client, raw };
}

describe('a client', () => {
  it('is noticed when it goes away', async () => {
    const { client, raw } = await asked();
    const gone = goneOf({ raw });
    expect(gone.aborted).toBe(false);
    client.destroy();
    await once(gone, 'abort');
  });

  it('is noticed when it had gone before anybody listened', async () => {
    const { client, raw } = await asked();
    client.destroy();
    await once(raw, 'close');
    expect(goneOf({ raw }).aborted).toBe(true);
  });

  it('is there until its answer is over', async () => {
    const { client, raw } = await asked();
    const gone = goneOf({ raw });
    raw.write('begun');
    await once(client, 'data');
    expect(gone.aborted).toBe(false);
    raw.end();
    await once(client, 'end');
    client.destroy();
  });
});
