import { type Clock, systemClock } from '../../kernel/clock.ts';
import { growingCache } from '../../kernel/cached.ts';
import type { CertificateSeen } from './certificate.ts';

/** A resumed handshake shows no certificate: after this time it is asked for again. */
const FULL_HANDSHAKE_MS = 3_600_000;
/** A session is about 2 KB, mostly the server's certificate; larger ones are not kept. */
const MAX_SESSION_BYTES = 4 * 1024;
/** TLS 1.3 servers send two after a full handshake; some send no other after a resumed one. */
const MAX_TICKETS = 2;
const MAX_SERVERS = 10_000;

/** Whose session it is and with which server: nothing of it is shared with another project, name, port, address or ALPN offer. */
export interface TlsPeer {
  readonly scope: string;
  readonly host: string;
  readonly port: number;
  readonly address: string;
  readonly http1Only: boolean;
}

/** A full handshake whose certificate verified, and the sessions to resume from it. */
export class VerifiedHandshake {
  private readonly sessions: Buffer[] = [];

  constructor(
    readonly address: string,
    private readonly from: number,
    private readonly until: number,
  ) {}

  isValidAt(now: number): boolean {
    return now >= this.from && now < this.until;
  }

  keep(session: Buffer): void {
    if (session.length > MAX_SESSION_BYTES) return;
    if (this.sessions.push(session) > MAX_TICKETS) this.sessions.shift();
  }

  /** A ticket of TLS 1.3 is for one use (RFC 8446, appendix C.4); a session whose handshake fails is not offered again. */
  take(): Buffer | undefined {
    return this.sessions.pop();
  }
}

/** TLS sessions for resumption, each at most until an hour after the full handshake, or until the certificate expires. */
export class TlsSessions {
  private readonly handshakes = growingCache<string, VerifiedHandshake>(MAX_SERVERS);

  constructor(private readonly clock: Clock = systemClock) {}

  /** The last full handshake with this server, unless it is too old or was with another address. */
  resumable(peer: TlsPeer): VerifiedHandshake | undefined {
    const handshake = this.handshakes.get(keyOf(peer));
    if (handshake?.address === peer.address && handshake.isValidAt(this.clock.now())) return handshake;
    this.forget(peer);
    return undefined;
  }

  verified(peer: TlsPeer, { validTo, chain }: CertificateSeen): VerifiedHandshake {
    const now = this.clock.now();
    const ends = [validTo, ...chain.map((issuer) => issuer.validTo)].map((end) => Date.parse(end));
    const handshake = new VerifiedHandshake(peer.address, now, Math.min(now + FULL_HANDSHAKE_MS, ...ends));
    this.handshakes.set(keyOf(peer), handshake);
    return handshake;
  }

  forget(peer: TlsPeer): void {
    this.handshakes.delete(keyOf(peer));
  }
}

const keyOf = ({ scope, host, port, http1Only }: TlsPeer): string => `${scope} ${host} ${String(port)} ${String(http1Only)}`;
