import { connect, constants, type ClientHttp2Stream, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { OpenResources } from './connections.ts';
import { ENDLESS_INTERIM, headerLines, MAX_HEAD, MAX_HEADER_LINES, MAX_INTERIM, type HeadOrFailure } from './exchange.ts';
import type { HeaderLine, ExchangeFailure } from './outcome.ts';
import type { PhaseClock } from './phase-clock.ts';
import { requestTarget, type OutgoingRequest } from './outgoing-request.ts';
import { connectionFailure, failed } from './failure-reasons.ts';

/** The request was not processed and must be repeated over HTTP/1.1 (RFC 9113, section 7, HTTP_1_1_REQUIRED). */
export const HTTP1_REQUIRED = failed('protocol', 'the server requires HTTP/1.1');

const HOP_BY_HOP = new Set(['host', 'connection', 'keep-alive', 'upgrade', 'transfer-encoding']);

function outgoingHeaders({ url, method, headers }: OutgoingRequest): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = {
    ':method': method,
    ':scheme': url.protocol.slice(0, -1),
    ':authority': url.host,
    ':path': requestTarget(url),
  };
  for (const [name, value] of headers) if (!HOP_BY_HOP.has(name.toLowerCase())) all[name.toLowerCase()] = value;
  return all;
}

/** Node passes the raw header lines as a further argument of the event, beside the parsed object. */
function linesOf(headers: IncomingHttpHeaders, raw: unknown): HeaderLine[] {
  const flat = Array.isArray(raw)
    ? raw.map(String)
    : Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]));
  return headerLines(flat).filter(([name]) => !name.startsWith(':'));
}

export function exchangeHttp2(
  socket: TLSSocket,
  out: OutgoingRequest,
  clock: PhaseClock,
  resources: OpenResources,
): Promise<HeadOrFailure> {
  return new Promise((resolve) => {
    const session = resources.add(
      connect(out.url.origin, {
        createConnection: () => socket,
        // The limit is applied in `oversizedHead`, which can say why; nghttp2 would only reset the stream.
        maxHeaderListPairs: 4096,
        maxSessionMemory: 2,
        settings: { enablePush: false, maxHeaderListSize: MAX_HEAD, initialWindowSize: 1024 * 1024 },
      }),
    );
    session.on('error', (error: unknown) => resolve(connectionFailure(error)));
    session.once('close', () => resolve(connectionFailure({ code: 'ECONNRESET', message: 'socket hang up' })));
    let stream: ClientHttp2Stream;
    try {
      stream = session.request(outgoingHeaders(out), { endStream: out.body === undefined });
    } catch (error) {
      resolve(connectionFailure(error));
      return;
    }
    if (out.body !== undefined) stream.end(out.body.bytes);
    clock.enter('wait');
    let ended = false;
    stream.on('end', () => (ended = stream.rstCode === constants.NGHTTP2_NO_ERROR));
    stream.on('error', () => undefined);
    stream.once('close', () => resolve(streamFailure(stream.rstCode)));
    let interim = 0;
    stream.on('headers', () => {
      if (++interim <= MAX_INTERIM) return;
      resolve(ENDLESS_INTERIM);
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.once('response', (headers, _flags, ...rest: unknown[]) => {
      clock.enter('download');
      const lines = linesOf(headers, rest[0]);
      const oversized = oversizedHead(lines);
      if (oversized !== null) {
        resolve(oversized);
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

function oversizedHead(lines: readonly HeaderLine[]): ExchangeFailure | null {
  const size = lines.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  if (size > MAX_HEAD) return failed('headers', 'the answer has more than 16 KiB of headers');
  return lines.length > MAX_HEADER_LINES ? failed('headers', 'the answer has more than 100 header lines') : null;
}

function streamFailure(code: number | undefined): HeadOrFailure {
  switch (code) {
    case constants.NGHTTP2_HTTP_1_1_REQUIRED:
      return HTTP1_REQUIRED;
    case constants.NGHTTP2_ENHANCE_YOUR_CALM:
    case constants.NGHTTP2_FRAME_SIZE_ERROR:
      return failed('headers', 'the answer has more than 100 header lines or 16 KiB of headers');
    default:
      return failed('protocol', `the server ended the HTTP/2 stream without an answer (code ${String(code ?? 0)})`);
  }
}
