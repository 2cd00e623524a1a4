import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { accountView, type PersonalToken } from '../../projections/read-models/account/account.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import { networkMatcher } from '../../security/networks.ts';
import { AccountChanges } from '../../security/tokens/account-changes.ts';
import { TokenStore } from '../../security/tokens/token-store.ts';
import type { Principal, PrincipalLimits } from '../context/principal.ts';
import { openTokenLimits } from './token-limits.ts';

/** A revocation on any instance takes effect here within a second, counted from before the look-up. */
const CACHE_MS = 900;
const MAX_CACHED = 10_000;

/** The principal of a token, as of at most a second ago; a request within that time needs no query. */
@Injectable()
export class Principals {
  private readonly cache = new LRUCache<string, Promise<Principal | null>>({ max: MAX_CACHED, ttl: CACHE_MS, ttlResolution: 0 });

  constructor(
    @Inject(TokenStore) private readonly tokens: TokenStore,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
    @Inject(KEYRING) private readonly keyring: Pick<Keyring, 'open'>,
  ) {}

  /** Null: the token was revoked or its account erased. */
  load(tokenId: string, userId: number): Promise<Principal | null> {
    if (!this.changes.isSettled(userId)) {
      this.cache.delete(tokenId);
      return this.read(tokenId, userId);
    }
    const cached = this.cache.get(tokenId);
    if (cached !== undefined) return cached;
    const principal = this.read(tokenId, userId);
    this.cache.set(tokenId, principal);
    principal.catch(() => {
      if (this.cache.peek(tokenId) === principal) this.cache.delete(tokenId);
    });
    return principal;
  }

  private async read(tokenId: string, userId: number): Promise<Principal | null> {
    const [token, account] = await Promise.all([this.tokens.use(tokenId), this.views.now().get(accountView, String(userId))]);
    if (token === null || account === null || token.userId !== userId) return null;
    // A revocation is an event; the token's row may outlive it by a crash (docs/decisions/beside-the-log.md).
    const personal = token.kind === 'login' ? null : account.personalTokens.find((known) => known.tokenId === tokenId);
    if (personal === undefined) return null;
    const kind = token.kind === 'login' ? 'user' : 'token';
    const signedInAt = token.confirmedAt?.getTime() ?? null;
    const hasFactor = account.secondFactors.length > 0 || token.secondFactor === 'provider';
    const { confirmed, plan, systemRole } = account;
    const limits = personal === null ? null : await this.limitsOf(personal);
    return { userId, tokenId, kind, signedInAt, confirmed, hasFactor, plan, systemRole, limits };
  }

  private async limitsOf(token: PersonalToken): Promise<PrincipalLimits | null> {
    const { scopes, projects, addresses } = await openTokenLimits(this.keyring, token);
    if (scopes === null && projects === null && addresses === null) return null;
    return {
      scopes: scopes && new Set(scopes),
      projects: projects && new Set(projects),
      addresses: addresses && { networks: addresses, include: networkMatcher(addresses) },
    };
  }
}
