import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { growingCache } from '../../kernel/cached.ts';
import { type TokenClaims, TokenSigner } from './token-signer.ts';

interface VerifiedToken {
  readonly claims: TokenClaims;
  /** The fingerprint of the key that signed it. */
  readonly fingerprint: string;
}

const MAX_CACHED = 10_000;

/**
 * Tokens whose signature Passport's strategy has verified, by the hash of their text: verifying it again at each request cost three quarters of the guard
 * (docs/decisions/tokens.md). Their times and key are checked at each request. Whether a token was revoked is not decided here (`Principals`).
 */
@Injectable()
export class VerifiedTokens {
  private readonly verified = growingCache<string, VerifiedToken>(MAX_CACHED);

  constructor(@Inject(TokenSigner) private readonly signer: Pick<TokenSigner, 'accepted'>) {}

  /** Answers null when the token is not valid at this time, undefined when its signature has to be verified; rejects while the keys cannot be read. */
  async claimsOf(token: string): Promise<TokenClaims | null | undefined> {
    const keys = await this.signer.accepted();
    const digest = digestOf(token);
    const known = this.verified.get(digest);
    if (known === undefined) return undefined;
    if (isValidAt(known.claims, Math.floor(Date.now() / 1000)) && keys.some(({ fingerprint }) => fingerprint === known.fingerprint))
      return known.claims;
    this.verified.delete(digest);
    return null;
  }

  add(token: string, verified: VerifiedToken): void {
    this.verified.set(digestOf(token), verified);
  }
}

const digestOf = (token: string): string => hash('sha256', token, 'base64');

/** As Passport's strategy compares them, in unix seconds. */
const isValidAt = ({ nbf, exp }: TokenClaims, now: number): boolean => nbf <= now && now < exp;
