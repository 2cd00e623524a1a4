import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';

export const ALGORITHM = 'HS256';
export const ISSUER = 'watchledger';
export const AUDIENCE = 'watchledger-api';

/** The claims of a JWT (docs/spec/decisions.md#A3); times in unix seconds. */
export interface TokenClaims {
  readonly sub: string;
  readonly tid: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
}

export interface TokenTimes {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** Signs with one pinned algorithm, deterministically, so that a repeated request is answered alike without storing the token. */
export class TokenSigner {
  /** A key object, because a string would be parsed at every request. */
  readonly key: KeyObject;

  constructor(secret: Uint8Array) {
    this.key = createSecretKey(secret);
  }

  sign(userId: number, tokenId: string, { issuedAt, expiresAt }: TokenTimes): string {
    const claims: TokenClaims & { iss: string; aud: string } = {
      sub: String(userId),
      tid: tokenId,
      iat: seconds(issuedAt),
      nbf: seconds(issuedAt),
      exp: Math.max(seconds(expiresAt), seconds(issuedAt) + 1),
      iss: ISSUER,
      aud: AUDIENCE,
    };
    return jwt.sign(claims, this.key, { algorithm: ALGORITHM });
  }
}
