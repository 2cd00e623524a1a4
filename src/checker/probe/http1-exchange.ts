import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenResources } from './connections.ts';
import { ENDLESS_INTERIM, headerLines, MAX_HEAD, MAX_HEADER_LINES, MAX_INTERIM, type HeadOrFailure } from './exchange.ts';
import type { PhaseClock } from './phase-clock.ts';
import { requestTarget, type OutgoingRequest } from './outgoing-request.ts';
import { connectionFailure, failed } from './failure-reasons.ts';

export function exchangeHttp1(
  socket: Socket,
  { url, method, headers, body }: OutgoingRequest,
  clock: PhaseClock,
  resources: OpenResources,
): Promise<HeadOrFailure> {
  return new Promise((resolve) => {
    const sent = request({
      createConnection: () => socket,
      method,
      path: requestTarget(url),
      headers: headers.flat(),
      setHost: false,
      maxHeaderSize: MAX_HEAD,
    });
    resources.add(sent);
    sent.maxHeadersCount = 0;
    let interim = 0;
    let response: IncomingMessage | undefined;
    sent.on('error', (error) => {
      // Bytes after a complete answer are ignored, as other clients do.
      if (response?.complete !== true) response?.destroy(error);
      resolve(connectionFailure(error));
    });
    sent.once('close', () => resolve(connectionFailure({ code: 'ECONNRESET', message: 'socket hang up' })));
    sent.once('finish', () => {
      if (clock.phase === 'request') clock.enter('wait');
    });
    sent.on('information', () => {
      if (++interim <= MAX_INTERIM) return;
      resolve(ENDLESS_INTERIM);
      sent.destroy();
    });
    // Without a listener Node reports a reset connection.
    sent.once('upgrade', (_, other) => {
      other.destroy();
      resolve(failed('protocol', 'the server switches to a protocol that was not requested'));
    });
    sent.once('response', (answer) => {
      response = answer;
      clock.enter('download');
      answer.on('error', () => undefined);
      if (answer.rawHeaders.length > MAX_HEADER_LINES * 2) {
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
