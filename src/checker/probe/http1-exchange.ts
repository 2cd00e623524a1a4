import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenThings } from './connections.ts';
import { ENDLESS_INTERIM, headerLines, LARGEST_HEAD, MOST_HEADER_LINES, MOST_INTERIM, type HeadOrTrouble } from './exchange.ts';
import type { PhaseClock } from './phase-clock.ts';
import { requestTarget, type Outgoing } from './request-headers.ts';
import { connectionTrouble, failed } from './trouble.ts';

export function exchangeHttp1(
  socket: Socket,
  { url, method, headers, body }: Outgoing,
  clock: PhaseClock,
  things: OpenThings,
): Promise<HeadOrTrouble> {
  return new Promise((resolve) => {
    const sent = request({
      createConnection: () => socket,
      method,
      path: requestTarget(url),
      headers: headers.flat(),
      setHost: false,
      maxHeaderSize: LARGEST_HEAD,
    });
    things.add(sent);
    sent.maxHeadersCount = 0;
    let interim = 0;
    let response: IncomingMessage | undefined;
    sent.on('error', (error) => {
      // Bytes after the end of a whole answer: the answer stands, as for every other client.
      if (response?.complete !== true) response?.destroy(error);
      resolve(connectionTrouble(error));
    });
    sent.once('close', () => resolve(connectionTrouble({ code: 'ECONNRESET', message: 'socket hang up' })));
    sent.once('finish', () => {
      if (clock.during === 'request') clock.enter('wait');
    });
    sent.on('information', () => {
      if (++interim <= MOST_INTERIM) return;
      resolve(ENDLESS_INTERIM);
      sent.destroy();
    });
    // Without a listener node says no more than that the connection is gone.
    sent.once('upgrade', (_, other) => {
      other.destroy();
      resolve(failed('protocol', 'the server changes to another protocol, which nobody asked for'));
    });
    sent.once('response', (answer) => {
      response = answer;
      clock.enter('download');
      answer.on('error', () => undefined);
      if (answer.rawHeaders.length > MOST_HEADER_LINES * 2) {
        resolve(failed('headers', 'the answer has more than 100 header lines'));
        return;
      }
      resolve({
        kind: 'head',
        httpVersion: answer.httpVersion === '1.0' ? '1.0' : '1.1',
        status: answer.statusCode ?? 0,
        statusText: answer.statusMessage ?? '',
        headers: headerLines(answer.rawHeaders),
        source: answer,
        isComplete: () => answer.complete,
      });
    });
    sent.end(body?.bytes);
  });
}
