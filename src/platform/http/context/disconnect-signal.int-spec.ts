import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { disconnectSignal, whenClosed } from './disconnect-signal.ts';

let server: Server;
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await once(server, 'close');
});

async function openRequest(): Promise<{ readonly client: Socket; readonly raw: ServerResponse }> {
  const address = server.address();
  const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n');
  const [, raw] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { client, raw };
}

describe('the disconnect of a client', () => {
  it('aborts the signal', async () => {
    const { client, raw } = await openRequest();
    const signal = disconnectSignal({ raw });
    expect(signal.aborted).toBe(false);
    client.destroy();
    await once(signal, 'abort');
  });

  it('aborts the signal at once when it happened before', async () => {
    const { client, raw } = await openRequest();
    client.destroy();
    await once(raw, 'close');
    expect(disconnectSignal({ raw }).aborted).toBe(true);
  });

  it('does not abort the signal before the answer is complete', async () => {
    const { client, raw } = await openRequest();
    const signal = disconnectSignal({ raw });
    raw.write('begun');
    await once(client, 'data');
    expect(signal.aborted).toBe(false);
    raw.end();
    await once(client, 'end');
    client.destroy();
  });
});

describe('the end of a request', () => {
  it('calls back once, with the disconnect of the client as with its answer', async () => {
    for (const end of [({ client }: { client: Socket }) => client.destroy(), ({ raw }: { raw: ServerResponse }) => raw.end('answered')]) {
      const request = await openRequest();
      let calls = 0;
      whenClosed(request, () => calls++);
      expect(calls).toBe(0);
      end(request);
      if (!request.raw.closed) await once(request.raw, 'close');
      expect(calls).toBe(1);
      request.client.destroy();
    }
  });

  it('calls back at once when it was before', async () => {
    const { client, raw } = await openRequest();
    client.destroy();
    await once(raw, 'close');
    let calls = 0;
    whenClosed({ raw }, () => calls++);
    expect(calls).toBe(1);
  });
});
