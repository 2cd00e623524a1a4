import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import jwt from 'jsonwebtoken';
import { Strategy } from 'passport-jwt';
import { OBJECT_ID } from '../../kernel/ids.ts';
import { ALGORITHM, AUDIENCE, ISSUER, type TokenClaims, TokenSigner } from './token-signer.ts';
import { VerifiedTokens } from './verified-tokens.ts';

interface BearerRequest {
  readonly headers: { readonly authorization?: string | undefined };
}

type KeyFound = (error: unknown, key?: KeyObject) => void;

/** Verifies a token that has not been verified before; algorithm, issuer and audience are pinned. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  /** Fingerprints of the keys with which requests are being verified. */
  private readonly fingerprints: WeakMap<object, string>;

  constructor(
    @Inject(TokenSigner) signer: Pick<TokenSigner, 'accepted' | 'objectOf'>,
    private readonly verified: VerifiedTokens,
  ) {
    const fingerprints = new WeakMap<object, string>();
    super({
      jwtFromRequest: bearerOf,
      // The typings allow strings and buffers only; jsonwebtoken also takes key objects, which need no parsing.
      secretOrKeyProvider: (request: object, token: string, done: (error: unknown, key?: string | Buffer) => void) => {
        keyOf(signer, token, request, fingerprints).then((key) => {
          (done as unknown as KeyFound)(null, key);
        }, done);
      },
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      passReqToCallback: true,
    });
    this.fingerprints = fingerprints;
  }

  validate(request: BearerRequest, payload: unknown): TokenClaims | false {
    const [claims, token, fingerprint] = [readClaims(payload), bearerOf(request), this.fingerprints.get(request)];
    if (claims === null || token === null || fingerprint === undefined) return false;
    this.verified.add(token, { claims, fingerprint });
    return claims;
  }
}

/** Exactly one token after `Bearer`, which is matched in any case. */
export const bearerOf = ({ headers }: BearerRequest): string | null => /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;

/** The key that a token names, if it is accepted, else the one in use. */
async function keyOf(
  signer: Pick<TokenSigner, 'accepted' | 'objectOf'>,
  token: string,
  request: object,
  fingerprints: WeakMap<object, string>,
): Promise<KeyObject> {
  const keys = await signer.accepted();
  const kid = jwt.decode(token, { complete: true })?.header.kid;
  const key = keys.find(({ fingerprint }) => fingerprint === kid) ?? keys.find(({ state }) => state === 'active');
  if (key === undefined) throw new Error('no key in use is configured here');
  fingerprints.set(request, key.fingerprint);
  return signer.objectOf(key);
}

function readClaims(payload: unknown): TokenClaims | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { sub, tid, iat, nbf, exp } = payload as Partial<Record<keyof TokenClaims, unknown>>;
  const times = typeof iat === 'number' && typeof nbf === 'number' && typeof exp === 'number' ? { iat, nbf, exp } : null;
  if (times === null || typeof sub !== 'string' || !/^-?[1-9]\d{0,9}$/.test(sub)) return null;
  return typeof tid === 'string' && OBJECT_ID.test(tid) ? { sub, tid, ...times } : null;
}
