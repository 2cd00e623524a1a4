import { isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect,
  createSecureContext,
  rootCertificates,
  type DetailedPeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { certificateSeen, verifyProblem, type CertificateSeen } from './certificate.ts';
import type { OpenResources } from './connections.ts';
import type { ExchangeFailure } from './outcome.ts';
import { errorCodeOf, failed, tlsFailure } from './failure-reasons.ts';
import type { TlsPeer, TlsSessions, VerifiedHandshake } from './tls-sessions.ts';

export interface Secured {
  readonly kind: 'secured';
  readonly socket: TLSSocket;
  /** Null if the handshake resumed a session: none was shown, and the one of the full handshake verified. */
  readonly certificate: CertificateSeen | null;
  readonly protocol: 'h2' | 'http/1.1';
}

/** Created once per process: reading the trust store (with NODE_EXTRA_CA_CERTS) costs more than a handshake. */
export const trustStore = (extraRoots: readonly string[] = []): SecureContext =>
  extraRoots.length === 0 ? createSecureContext() : createSecureContext({ ca: [...rootCertificates, ...extraRoots] });

const ALPN = { both: ['h2', 'http/1.1'], http1: ['http/1.1'] };

/** The handshake failed with a session that was offered: what the server makes of a full one is unknown. */
export const RESUMPTION_FAILED = failed('tls', 'the TLS session was not resumed');

/** Lets a handshake resume the session of an earlier one with the same peer. */
export interface Resumption {
  readonly sessions: TlsSessions;
  readonly peer: TlsPeer;
}

/** TLS over a connected socket. An invalid certificate also resolves as `secured`, with its problem: the caller decides. */
export function secure(
  plain: Socket,
  host: string,
  http1Only: boolean,
  secureContext: SecureContext,
  resources: OpenResources,
  resumption?: Resumption,
): Promise<Secured | ExchangeFailure> {
  return new Promise((resolve) => {
    let seen: DetailedPeerCertificate | undefined;
    const earlier = resumption?.sessions.resumable(resumption.peer);
    const session = earlier?.take();
    const socket = resources.add(
      connect({
        socket: plain,
        ...(isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {}),
        host,
        secureContext,
        ...(session === undefined ? {} : { session }),
        ALPNProtocols: http1Only ? ALPN.http1 : ALPN.both,
        rejectUnauthorized: false,
        checkServerIdentity: (name, certificate) => {
          // Node declares the short form, and passes the detailed one.
          seen = certificate as DetailedPeerCertificate;
          return checkServerIdentity(name, certificate);
        },
      }),
    );
    const onError = (error: unknown): void => {
      const failure = tlsFailure(error);
      resolve(session === undefined || failure.kind === 'inconclusive' ? failure : RESUMPTION_FAILED);
    };
    const onClose = (): void => onError({ code: 'ECONNRESET' });
    socket.on('error', onError);
    socket.once('close', onClose);
    socket.once('secureConnect', () => {
      socket.removeListener('close', onClose);
      const protocol = socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1';
      if (earlier !== undefined && socket.isSessionReused()) {
        keepSessions(socket, earlier);
        resolve({ kind: 'secured', socket, certificate: null, protocol });
        return;
      }
      const certificate = seen ?? socket.getPeerCertificate(true);
      const problem = socket.authorized ? null : verifyProblem(problemCode(socket.authorizationError), host, certificate);
      const shown = certificateSeen(certificate, problem);
      if (resumption !== undefined && problem === null) keepSessions(socket, resumption.sessions.verified(resumption.peer, shown));
      else resumption?.sessions.forget(resumption.peer);
      resolve({ kind: 'secured', socket, certificate: shown, protocol });
    });
  });
}

/** TLS 1.3 sends tickets after the handshake; the session of TLS 1.2 stands with it, and remains valid where the server renews none. */
function keepSessions(socket: TLSSocket, handshake: VerifiedHandshake): void {
  if (socket.getProtocol() === 'TLSv1.3') {
    socket.on('session', (ticket) => handshake.keep(ticket));
    return;
  }
  const session = socket.getSession();
  if (session !== undefined) handshake.keep(session);
}

/** Declared as an Error, but Node sets a code string. */
const problemCode = (error: unknown): string => (typeof error === 'string' ? error : errorCodeOf(error));
