import { connect, constants, type ClientHttp2Stream, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { OpenThings } from './connections.ts';
import { ENDLESS_INTERIM, headerLines, LARGEST_HEAD, MOST_HEADER_LINES, MOST_INTERIM, type HeadOrTrouble } from './exchange.ts';
import type { HeaderLine, Trouble } from './outcome.ts';
import type { PhaseClock } from './phase-clock.ts';
import { requestTarget, type Outgoing } from './request-headers.ts';
import { connectionTrouble, failed } from './trouble.ts';

/** What was asked is to be asked over HTTP/1.1, and nothing came of it so far (RFC 9113, 7). */
export const HTTP1_WANTED = failed('protocol', 'the server wants to be asked over HTTP/1.1');

const HOP_BY_HOP = new Set(['host', 'connection', 'keep-alive', 'upgrade', 'transfer-encoding']);

function outgoingHeaders({ url, method, headers }: Outgoing): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = {
    ':method': method,
    ':scheme': url.protocol.slice(0, -1),
    ':authority': url.host,
    ':path': requestTarget(url),
  };
  for (const [name, value] of headers) if (!HOP_BY_HOP.has(name.toLowerCase())) all[name.toLowerCase()] = value;
  return all;
}

/** Node passes the lines as they came beside the object that it made of them. */
function linesOf(headers: IncomingHttpHeaders, raw: unknown): HeaderLine[] {
  const flat = Array.isArray(raw)
    ? raw.map(String)
    : Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]));
  return headerLines(flat).filter(([name]) => !name.startsWith(':'));
}

export function exchangeHttp2(socket: TLSSocket, out: Outgoing, clock: PhaseClock, things: OpenThings): Promise<HeadOrTrouble> {
  return new Promise((resolve) => {
    const session = things.add(
      connect(out.url.origin, {
        createConnection: () => socket,
        // Counted below, where it can be said; nghttp2 would only reset the stream.
        maxHeaderListPairs: 4096,
        maxSessionMemory: 2,
        settings: { enablePush: false, maxHeaderListSize: LARGEST_HEAD, initialWindowSize: 1024 * 1024 },
      }),
    );
    session.on('error', (error: unknown) => resolve(connectionTrouble(error)));
    session.once('close', () => resolve(connectionTrouble({ code: 'ECONNRESET', message: 'socket hang up' })));
    let stream: ClientHttp2Stream;
    try {
      stream = session.request(outgoingHeaders(out), { endStream: out.body === undefined });
    } catch (error) {
      resolve(connectionTrouble(error));
      return;
    }
    if (out.body !== undefined) stream.end(out.body.bytes);
    clock.enter('wait');
    let ended = false;
    stream.on('end', () => (ended = stream.rstCode === constants.NGHTTP2_NO_ERROR));
    stream.on('error', () => undefined);
    stream.once('close', () => resolve(resetTrouble(stream.rstCode)));
    let interim = 0;
    stream.on('headers', () => {
      if (++interim <= MOST_INTERIM) return;
      resolve(ENDLESS_INTERIM);
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.once('response', (headers, _flags, ...rest: unknown[]) => {
      clock.enter('download');
      const lines = linesOf(headers, rest[0]);
      const tooMuch = tooMuchHead(lines);
      if (tooMuch !== null) {
        resolve(tooMuch);
        return;
      }
      resolve({
        kind: 'head',
        httpVersion: '2',
        status: headers[':status'] ?? 0,
        statusText: '',
        headers: lines,
        source: stream,
        isComplete: () => ended || (stream.readableEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR && !stream.aborted),
      });
    });
  });
}

function tooMuchHead(lines: readonly HeaderLine[]): Trouble | null {
  const size = lines.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  if (size > LARGEST_HEAD) return failed('headers', 'the answer has more than 16 KiB of headers');
  return lines.length > MOST_HEADER_LINES ? failed('headers', 'the answer has more than 100 header lines') : null;
}

function resetTrouble(code: number | undefined): HeadOrTrouble {
  switch (code) {
    case constants.NGHTTP2_HTTP_1_1_REQUIRED:
      return HTTP1_WANTED;
    case constants.NGHTTP2_ENHANCE_YOUR_CALM:
    case constants.NGHTTP2_FRAME_SIZE_ERROR:
      return failed('headers', 'the answer has more than 100 header lines or 16 KiB of headers');
    default:
      return failed('protocol', `the server ended the HTTP/2 stream without an answer (code ${String(code ?? 0)})`);
  }
}
