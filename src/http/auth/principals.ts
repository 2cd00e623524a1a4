import { Inject, Injectable } from '@nestjs/common';
import { AccountChanges } from '../../security/tokens/account-changes.ts';
import { TokenStore } from '../../security/tokens/token-store.ts';
import { type Clock, steadyClock } from '../../kernel/clock.ts';
import { accountView } from '../../projections/read-models/account/account.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import type { Principal } from '../context/principal.ts';

interface Known {
  readonly principal: Promise<Principal | null>;
  readonly askedAt: number;
}

/** A revocation anywhere is seen here within a second: counted from before the question was asked. */
const CACHE_MS = 900;
const CAPACITY = 10_000;

/** Who a token speaks for, as of at most a second ago; a warm request asks nobody. */
@Injectable()
export class Principals {
  private readonly known = new Map<string, Known>();
  private readonly clock: Clock = steadyClock;

  constructor(
    @Inject(TokenStore) private readonly tokens: TokenStore,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
  ) {}

  /** Null: the token was revoked, or its account is gone. */
  of(tokenId: string, userId: number): Promise<Principal | null> {
    if (!this.changes.isSettled(userId)) {
      this.known.delete(tokenId);
      return this.load(tokenId, userId);
    }
    const known = this.known.get(tokenId);
    const now = this.clock.now();
    if (known !== undefined && now - known.askedAt < CACHE_MS) return known.principal;
    const principal = this.load(tokenId, userId);
    this.remember(tokenId, { principal, askedAt: now });
    return principal;
  }

  private remember(tokenId: string, entry: Known): void {
    this.known.delete(tokenId);
    this.known.set(tokenId, entry);
    entry.principal.catch(() => {
      if (this.known.get(tokenId) === entry) this.known.delete(tokenId);
    });
    if (this.known.size <= CAPACITY) return;
    const oldest = this.known.keys().next();
    if (oldest.done !== true) this.known.delete(oldest.value);
  }

  private async load(tokenId: string, userId: number): Promise<Principal | null> {
    const [token, account] = await Promise.all([this.tokens.use(tokenId), this.views.now().get(accountView, String(userId))]);
    if (token === null || account === null || token.userId !== userId) return null;
    // Revoking it is an event; the row may outlive that by a crash (docs/decisions/beside-the-log.md).
    if (token.kind === 'personal' && !account.personalTokens.some((known) => known.tokenId === tokenId)) return null;
    const kind = token.kind === 'login' ? 'user' : 'token';
    return { userId, tokenId, kind, plan: account.plan, systemRole: account.systemRole };
  }
}
