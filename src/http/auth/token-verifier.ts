import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { OBJECT_ID } from '../../kernel/ids.ts';
import type { AcceptedKey } from '../../security/keyring/rotating-secret.ts';
import { ALGORITHM, AUDIENCE, ISSUER, type TokenClaims, TokenSigner } from './token-signer.ts';

interface VerifiedToken {
  readonly claims: TokenClaims;
  /** Of the key that signed it. */
  readonly fingerprint: string;
}

const MAX_CACHED = 10_000;
const PINNED: jwt.VerifyOptions = { algorithms: [ALGORITHM], issuer: ISSUER, audience: AUDIENCE };

/**
 * Verifies tokens; algorithm, issuer and audience are pinned. The signature of a text is verified once: its hash is kept in an LRU cache with the claims,
 * whose times and key are checked at each request. Whether the token was revoked is not decided here (`Principals`).
 */
@Injectable()
export class TokenVerifier {
  private readonly verified = new LRUCache<string, VerifiedToken>({ max: MAX_CACHED });

  constructor(@Inject(TokenSigner) private readonly signer: Pick<TokenSigner, 'accepted' | 'objectOf'>) {}

  /** Null: not a token of this service, not valid at this time, or signed with a key that is not accepted. Rejects while the keys cannot be read. */
  async verify(token: string): Promise<TokenClaims | null> {
    const keys = await this.signer.accepted();
    const digest = hash('sha256', token, 'base64');
    const known = this.verified.get(digest);
    if (known !== undefined && keys.some(({ fingerprint }) => fingerprint === known.fingerprint)) {
      if (isValidAt(known.claims, Math.floor(Date.now() / 1000))) return known.claims;
      this.verified.delete(digest);
      return null;
    }
    const verified = this.verifySignature(token, keys);
    if (verified === null) this.verified.delete(digest);
    else this.verified.set(digest, verified);
    return verified?.claims ?? null;
  }

  /** By the key that the token names, if it is accepted, else by the one in use. */
  private verifySignature(token: string, keys: readonly AcceptedKey[]): VerifiedToken | null {
    try {
      const kid = jwt.decode(token, { complete: true })?.header.kid;
      const key = keys.find(({ fingerprint }) => fingerprint === kid) ?? keys.find(({ state }) => state === 'active');
      const claims = key === undefined ? null : readClaims(jwt.verify(token, this.signer.objectOf(key), PINNED));
      return key === undefined || claims === null ? null : { claims, fingerprint: key.fingerprint };
    } catch {
      return null;
    }
  }
}

/** As `jwt.verify` compares them, in unix seconds. */
const isValidAt = ({ nbf, exp }: TokenClaims, now: number): boolean => nbf <= now && now < exp;

function readClaims(payload: unknown): TokenClaims | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { sub, tid, iat, nbf, exp } = payload as Partial<Record<keyof TokenClaims, unknown>>;
  const times = typeof iat === 'number' && typeof nbf === 'number' && typeof exp === 'number' ? { iat, nbf, exp } : null;
  if (times === null || typeof sub !== 'string' || !/^[1-9]\d{0,9}$/.test(sub)) return null;
  return typeof tid === 'string' && OBJECT_ID.test(tid) ? { sub, tid, ...times } : null;
}
