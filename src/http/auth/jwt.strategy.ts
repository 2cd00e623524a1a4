import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { OBJECT_ID } from '../../kernel/ids.ts';
import type { Principal } from '../context/principal.ts';
import { Principals } from './principals.ts';
import { ALGORITHM, AUDIENCE, type TokenClaims, ISSUER, TokenSigner } from './token-signer.ts';

export interface Authenticated {
  readonly principal: Principal;
  readonly claims: TokenClaims;
}

/** Pins algorithm, issuer and audience, then looks up the token's id, because a signature stays valid after a revocation. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(
    @Inject(TokenSigner) signer: TokenSigner,
    @Inject(Principals) private readonly principals: Principals,
  ) {
    super({
      jwtFromRequest: bearerOf,
      secretOrKeyProvider: (_: unknown, token: string, done: (error: unknown, key?: Buffer) => void) => {
        signer.keyFor(token).then(
          // The typings allow strings and buffers only; jsonwebtoken also takes key objects, which need no parsing per request.
          (key) => (key === null ? done(new Error('no key in use is configured here')) : done(null, key as unknown as Buffer)),
          done,
        );
      },
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
    });
  }

  async validate(payload: unknown): Promise<Authenticated | false> {
    const claims = readClaims(payload);
    if (claims === null) return false;
    const principal = await this.principals.load(claims.tid, Number(claims.sub));
    return principal?.userId === Number(claims.sub) ? { principal, claims } : false;
  }
}

/** Exactly one token after `Bearer`, which is matched in any case. */
const bearerOf = ({ headers }: { readonly headers: { readonly authorization?: string } }): string | null =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;

function readClaims(payload: unknown): TokenClaims | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { sub, tid, iat, nbf, exp } = payload as Partial<Record<keyof TokenClaims, unknown>>;
  const times = typeof iat === 'number' && typeof nbf === 'number' && typeof exp === 'number' ? { iat, nbf, exp } : null;
  if (times === null || typeof sub !== 'string' || !/^[1-9]\d{0,9}$/.test(sub)) return null;
  return typeof tid === 'string' && OBJECT_ID.test(tid) ? { sub, tid, ...times } : null;
}
