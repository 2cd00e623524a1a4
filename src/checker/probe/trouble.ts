import type { Trouble } from './outcome.ts';

export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

const messageOf = (error: unknown): string =>
  (typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)).slice(0, 150);

export const failed = (code: Extract<Trouble, { kind: 'failed' }>['code'], reason: string): Trouble => ({ kind: 'failed', code, reason });
export const own = (reason: string): Trouble => ({ kind: 'own', reason });

/** What our own machine lacks. A site must never be called down for it. */
const OWN: Readonly<Record<string, string>> = {
  EMFILE: 'this machine has no file handle left',
  ENFILE: 'this machine has no file handle left',
  ENOBUFS: 'this machine has no network buffer left',
  ENOMEM: 'this machine has no memory left',
  EADDRNOTAVAIL: 'this machine has no local address or port left for the connection',
  EADDRINUSE: 'this machine has no local port left',
  ENETDOWN: 'the network of this machine is down',
  ENETUNREACH: 'this machine has no route to that network',
  EACCES: 'this machine forbids the connection',
  EPERM: 'this machine forbids the connection',
};

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while we were sending',
  EHOSTUNREACH: 'the host cannot be reached',
  EHOSTDOWN: 'the host is down',
  ETIMEDOUT: 'the connection was not answered',
};

const PROTOCOL: Readonly<Record<string, Trouble>> = {
  HPE_HEADER_OVERFLOW: failed('headers', 'the answer has more than 16 KiB of headers'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: failed('body', 'the answer has endless chunk extensions'),
  HPE_INVALID_CONTENT_LENGTH: failed('protocol', 'the Content-Length of the answer is no number'),
  HPE_UNEXPECTED_CONTENT_LENGTH: failed('protocol', 'the answer has a Content-Length that contradicts its other headers'),
  HPE_CLOSED_CONNECTION: failed('body', 'the server sent more than its Content-Length announced'),
  HPE_INVALID_CHUNK_SIZE: failed('body', 'a chunk of the answer has no readable size'),
  ERR_HTTP2_MAX_PENDING_SETTINGS_ACK: failed('protocol', 'the server floods the connection with settings'),
};

/** The cause of a broken connection, in words. */
export function connectionTrouble(error: unknown): Trouble {
  const code = codeOf(error);
  const ours = OWN[code];
  if (ours !== undefined) return own(`${ours} (${code})`);
  const known = PROTOCOL[code];
  if (known !== undefined) return known;
  const broken = CONNECTION[code];
  if (broken !== undefined)
    return failed('connection', messageOf(error) === 'socket hang up' ? 'the connection was closed without an answer' : broken);
  if (code.startsWith('HPE_')) return failed('protocol', `the answer is no HTTP: ${messageOf(error)}`);
  if (code.startsWith('ERR_HTTP2')) return failed('protocol', `the HTTP/2 answer is broken: ${messageOf(error)}`);
  return failed('connection', `the connection failed: ${messageOf(error)}`);
}

export function tlsTrouble(error: unknown): Trouble {
  const code = codeOf(error);
  if (OWN[code] !== undefined) return connectionTrouble(error);
  if (code === 'ECONNRESET' || code === 'EPIPE') return failed('tls', 'the connection was closed during the TLS handshake');
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return failed('tls', 'the server does not speak TLS on this port');
  return failed(
    'tls',
    `the TLS handshake failed: ${
      messageOf(error)
        .replace(/^[0-9A-F]+:error:[0-9A-F]+:/, '')
        .split(':../')[0] ?? ''
    }`,
  );
}
