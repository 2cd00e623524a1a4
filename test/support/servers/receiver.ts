import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Site, startHttp } from './site.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly at: number;
}

/** A server that records requests and answers as the test defines. */
export interface Receiver extends Site {
  readonly received: readonly Received[];
  answer: (request: Received, response: ServerResponse) => void;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const site = await startHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() };
      received.push(one);
      receiver.answer(one, response);
    });
  });
  const receiver: Receiver = { ...site, received, answer: (_, response) => void response.end('ok') };
  return receiver;
}
