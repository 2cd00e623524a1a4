import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import jwt from 'jsonwebtoken';
import type { AcceptedKey } from '../../platform/security/keyring/rotating-secret.ts';
import { JwtStrategy } from './jwt.strategy.ts';
import { type TokenClaims, TokenSigner } from './token-signer.ts';
import { VerifiedTokens } from './verified-tokens.ts';

const one: AcceptedKey = { fingerprint: 'one', key: Buffer.alloc(32, 1), state: 'active' };
const other: AcceptedKey = { fingerprint: 'other', key: Buffer.alloc(32, 2), state: 'active' };
const TOKEN_ID = 'a'.repeat(24);
const NOW = Date.parse('2026-01-31T10:00:00.000Z');

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** As the guard does: the cache first, then Passport's strategy. */
function verifierOf(signer: TokenSigner): { readonly verify: (token: string) => Promise<TokenClaims | null> } {
  const verified = new VerifiedTokens(signer);
  const strategy = new JwtStrategy(signer, verified);
  const authenticate = (token: string): Promise<TokenClaims | null> =>
    new Promise((resolve, reject) => {
      const attempt = Object.assign(Object.create(strategy) as JwtStrategy, {
        success: resolve,
        fail: () => {
          resolve(null);
        },
        error: reject,
      });
      // Cast: what the strategy reads of a request.
      attempt.authenticate({ headers: { authorization: `Bearer ${token}` } } as Parameters<JwtStrategy['authenticate']>[0]);
    });
  return {
    verify: async (token) => {
      const known = await verified.claimsOf(token);
      return known === undefined ? authenticate(token) : known;
    },
  };
}

/** A verifier whose accepted keys can be changed, and a token of an hour signed with the first of them. */
function opened() {
  const known = { keys: [one] as readonly AcceptedKey[] };
  const signer = new TokenSigner({
    accepted: () => Promise.resolve(known.keys),
    get active() {
      return known.keys[0] ?? one;
    },
  });
  const sign = (): string => signer.sign(7, TOKEN_ID, { issuedAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000) });
  return { known, verifier: verifierOf(signer), sign };
}

describe('a token that was verified before', () => {
  it('is accepted without verifying its signature again', async () => {
    const { verifier, sign } = opened();
    const verified = jest.spyOn(jwt, 'verify');
    const token = sign();
    for (let n = 0; n < 5; n++) expect(await verifier.verify(token)).toMatchObject({ sub: '7', tid: TOKEN_ID });
    expect(verified).toHaveBeenCalledTimes(1);
  });

  it('is refused from the second of its expiry on', async () => {
    const { verifier, sign } = opened();
    const token = sign();
    expect(await verifier.verify(token)).not.toBeNull();
    jest.setSystemTime(NOW + 3_599_999);
    expect(await verifier.verify(token)).not.toBeNull();
    jest.setSystemTime(NOW + 3_600_000);
    expect(await verifier.verify(token)).toBeNull();
    expect(await verifier.verify(token)).toBeNull();
  });

  it('is refused before its beginning, when the clock was set back', async () => {
    const { verifier, sign } = opened();
    const token = sign();
    expect(await verifier.verify(token)).not.toBeNull();
    jest.setSystemTime(NOW - 1_000);
    expect(await verifier.verify(token)).toBeNull();
  });

  it('is refused once its key is retired, and accepted while it is the previous one', async () => {
    const { known, verifier, sign } = opened();
    const token = sign();
    expect(await verifier.verify(token)).not.toBeNull();
    known.keys = [other, { ...one, state: 'previous' }];
    expect(await verifier.verify(token)).not.toBeNull();
    known.keys = [other];
    expect(await verifier.verify(token)).toBeNull();
    known.keys = [];
    expect(await verifier.verify(token)).toBeNull();
  });

  it('does not make a token with another signature, payload or spelling valid', async () => {
    const { verifier, sign } = opened();
    const token = sign();
    expect(await verifier.verify(token)).not.toBeNull();
    const [header = '', , signature = ''] = token.split('.');
    const payload = Buffer.from(JSON.stringify({ ...(jwt.decode(token) as object), sub: '1' })).toString('base64url');
    const forged = [`${header}.${payload}.${signature}`, token.slice(0, -4), `${token}AAAA`, token.toUpperCase(), '', '..', 'a.b.c'];
    for (const text of forged) expect(await verifier.verify(text)).toBeNull();
  });
});

it('rejects when the keys cannot be read, so that a client keeps its token', async () => {
  const keys = { accepted: () => Promise.reject(new Error('the database is away')), active: one };
  const token = opened().sign();
  await expect(verifierOf(new TokenSigner(keys)).verify(token)).rejects.toThrow('the database is away');
});
