import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { AcceptedKey, RotatingSecret } from '../../platform/security/keyring/rotating-secret.ts';

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
  /** Key objects, because a string would be parsed at every request. */
  private readonly objects = new Map<string, KeyObject>();

  constructor(private readonly keys: Pick<RotatingSecret, 'accepted' | 'active'>) {}

  static async open(keys: RotatingSecret): Promise<TokenSigner> {
    await keys.open();
    return new TokenSigner(keys);
  }

  /** The keys with which tokens may be signed. */
  accepted(): Promise<readonly AcceptedKey[]> {
    return this.keys.accepted();
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
    const { active } = this.keys;
    return jwt.sign(claims, this.objectOf(active), { algorithm: ALGORITHM, keyid: active.fingerprint });
  }

  objectOf({ fingerprint, key }: AcceptedKey): KeyObject {
    const object = this.objects.get(fingerprint) ?? createSecretKey(key);
    this.objects.set(fingerprint, object);
    return object;
  }
}
