import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { witnessAt } from './sealing.ts';

let server: Server;
let url: string;
const received: { readonly type: string | undefined; readonly body: string }[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ type: request.headers['content-type'], body });
      if (request.url === '/elsewhere') response.writeHead(307, { location: '/witness' }).end();
      else response.writeHead(200).end('thanks');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => {
  server.close();
});

describe('a witness', () => {
  it('gets checkpoints also in a private network, because the operator names it', async () => {
    expect(await witnessAt(`${url}/witness`).send('note\n')).toMatchObject({ kind: 'answered', status: 200 });
    expect(received).toEqual([{ type: 'text/plain; charset=utf-8', body: 'note\n' }]);
  });

  it('cannot redirect the checkpoint', async () => {
    received.length = 0;
    expect(await witnessAt(`${url}/elsewhere`).send('note\n')).toMatchObject({ status: 307 });
    expect(received).toHaveLength(1);
  });
});
