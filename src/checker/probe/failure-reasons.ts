import { inconclusive, type ExchangeFailure, type FailureCode } from './outcome.ts';

export const errorCodeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

const messageOf = (error: unknown): string =>
  (typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)).slice(0, 150);

export const failed = (code: FailureCode, reason: string): ExchangeFailure => ({ kind: 'failed', code, reason });

/** Resources that this machine lacks: inconclusive, because a site must never be reported down for them. */
const LOCAL_ERRORS: Readonly<Record<string, string>> = {
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

const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while the request was being sent',
  EHOSTUNREACH: 'the host cannot be reached',
  EHOSTDOWN: 'the host is down',
  ETIMEDOUT: 'the connection was not answered',
};

const PROTOCOL_ERRORS: Readonly<Record<string, ExchangeFailure>> = {
  HPE_HEADER_OVERFLOW: failed('headers', 'the answer has more than 16 KiB of headers'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: failed('body', 'the answer has chunk extensions without end'),
  HPE_INVALID_CONTENT_LENGTH: failed('protocol', 'the Content-Length of the answer is not a number'),
  HPE_UNEXPECTED_CONTENT_LENGTH: failed('protocol', 'the answer has a Content-Length that contradicts its other headers'),
  HPE_CLOSED_CONNECTION: failed('body', 'the server sent more than its Content-Length announced'),
  HPE_INVALID_CHUNK_SIZE: failed('body', 'a chunk of the answer has no valid size'),
  ERR_HTTP2_MAX_PENDING_SETTINGS_ACK: failed('protocol', 'the server floods the connection with settings'),
};

/** Why a connection broke, as a sentence part. */
export function connectionFailure(error: unknown): ExchangeFailure {
  const code = errorCodeOf(error);
  const local = LOCAL_ERRORS[code];
  if (local !== undefined) return inconclusive(`${local} (${code})`);
  const protocol = PROTOCOL_ERRORS[code];
  if (protocol !== undefined) return protocol;
  const connection = CONNECTION_ERRORS[code];
  if (connection !== undefined)
    return failed('connection', messageOf(error) === 'socket hang up' ? 'the connection was closed without an answer' : connection);
  if (code.startsWith('HPE_')) return failed('protocol', `the answer is not valid HTTP: ${messageOf(error)}`);
  if (code.startsWith('ERR_HTTP2')) return failed('protocol', `the answer is not valid HTTP/2: ${messageOf(error)}`);
  return failed('connection', `the connection failed: ${messageOf(error)}`);
}

export function tlsFailure(error: unknown): ExchangeFailure {
  const code = errorCodeOf(error);
  if (LOCAL_ERRORS[code] !== undefined) return connectionFailure(error);
  if (code === 'ECONNRESET' || code === 'EPIPE') return failed('tls', 'the connection was closed during the TLS handshake');
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return failed('tls', 'the server does not speak TLS on this port');
  // OpenSSL puts its error number before its message, and a source file behind it.
  const [message = ''] = messageOf(error)
    .replace(/^[0-9A-F]+:error:[0-9A-F]+:/, '')
    .split(':../');
  return failed('tls', `the TLS handshake failed: ${message}`);
}
