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
import { errorCodeOf, tlsFailure } from './failure-reasons.ts';

export interface Secured {
  readonly kind: 'secured';
  readonly socket: TLSSocket;
  readonly certificate: CertificateSeen;
  readonly protocol: 'h2' | 'http/1.1';
}

/** Created once per process: reading the trust store (with NODE_EXTRA_CA_CERTS) costs more than a handshake. */
export const trustStore = (extraRoots: readonly string[] = []): SecureContext =>
  extraRoots.length === 0 ? createSecureContext() : createSecureContext({ ca: [...rootCertificates, ...extraRoots] });

const ALPN = { both: ['h2', 'http/1.1'], http1: ['http/1.1'] };

/** TLS over a connected socket. An invalid certificate also resolves as `secured`, with its problem: the caller decides. */
export function secure(
  plain: Socket,
  host: string,
  http1Only: boolean,
  secureContext: SecureContext,
  resources: OpenResources,
): Promise<Secured | ExchangeFailure> {
  return new Promise((resolve) => {
    let seen: DetailedPeerCertificate | undefined;
    const socket = resources.add(
      connect({
        socket: plain,
        ...(isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {}),
        host,
        secureContext,
        ALPNProtocols: http1Only ? ALPN.http1 : ALPN.both,
        rejectUnauthorized: false,
        checkServerIdentity: (name, certificate) => {
          // Node declares the short form, and passes the detailed one.
          seen = certificate as DetailedPeerCertificate;
          return checkServerIdentity(name, certificate);
        },
      }),
    );
    const onError = (error: unknown): void => resolve(tlsFailure(error));
    const onClose = (): void => resolve(tlsFailure({ code: 'ECONNRESET' }));
    socket.on('error', onError);
    socket.once('close', onClose);
    socket.once('secureConnect', () => {
      socket.removeListener('close', onClose);
      const certificate = seen ?? socket.getPeerCertificate(true);
      const problem = socket.authorized ? null : verifyProblem(problemCode(socket.authorizationError), host, certificate);
      resolve({
        kind: 'secured',
        socket,
        certificate: certificateSeen(certificate, problem),
        protocol: socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1',
      });
    });
  });
}

/** Declared as an Error, but Node sets a code string. */
const problemCode = (error: unknown): string => (typeof error === 'string' ? error : errorCodeOf(error));
