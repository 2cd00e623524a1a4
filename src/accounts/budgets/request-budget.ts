import { Injectable } from '@nestjs/common';
import { growingCache } from '../../kernel/cached.ts';
import { SharedWindows, type WindowedBudget, type WindowUse } from '../../platform/postgres/shared-windows.ts';
import { payerOf, type Principal } from '../../platform/http/context/principal.ts';
import { AccountBudgets } from './account-budgets.ts';
import type { RateLimitState } from './rate-limit.ts';

export const REQUESTS = { name: 'requests', seconds: 60 } as const;

/** So many answers 304 count as one request: they cost nearly as much as an answer with a body, and transfer nothing. */
const UNCHANGED_PER_REQUEST = 5;
const CAPACITY = 100_000;

const ofToken = (tokenId: string): WindowedBudget => ({ name: `requests ${tokenId}`, seconds: REQUESTS.seconds });

type Caller = Pick<Principal, 'userId' | 'tokenId' | 'plan' | 'service'>;

/** Rate limits of an account, one window for all of its tokens, and of each token; over all instances (docs/spec/decisions.md#G12). */
@Injectable()
export class RequestBudget {
  /** Answers 304 of an account on this instance since the last one that counted. */
  private readonly unchanged = growingCache<number, number>(CAPACITY);

  constructor(
    private readonly windows: SharedWindows,
    private readonly budgets: AccountBudgets,
  ) {}

  /** Counts one request; empty without a limit. What its token may not send takes nothing from the account. */
  count(caller: Caller): readonly RateLimitState[] {
    const { tokenId, plan } = caller;
    const userId = payerOf(caller);
    const { requestsPerMinute, requestsPerMinuteOfToken } = this.budgets.of(plan);
    const token =
      requestsPerMinuteOfToken === null
        ? []
        : [stateOf('token', requestsPerMinuteOfToken, this.windows.add(ofToken(tokenId), userId, 1, requestsPerMinuteOfToken))];
    if (requestsPerMinute === null) return token;
    const known = token.some(({ used, limit }) => used > limit) ? this.windows.use(REQUESTS, userId) : null;
    const use = known !== null && known.used < requestsPerMinute ? known : this.windows.add(REQUESTS, userId, 1, requestsPerMinute);
    return [stateOf('account', requestsPerMinute, use), ...token];
  }

  /** Operations of a batch that were refused: as requests they would have been counted, too. The next request is refused, not the rest of the batch. */
  countRefused({ userId, service, plan }: Caller, operations: number): void {
    const { requestsPerMinute } = this.budgets.of(plan);
    if (operations > 0 && requestsPerMinute !== null)
      this.windows.add(REQUESTS, payerOf({ userId, service }), operations, requestsPerMinute);
  }

  /** A request that was counted is answered with 304: of five such ones, four are taken back. */
  countAsUnchanged(caller: Caller): readonly RateLimitState[] {
    const { tokenId, plan } = caller;
    const userId = payerOf(caller);
    const count = ((this.unchanged.get(userId) ?? 0) + 1) % UNCHANGED_PER_REQUEST;
    this.unchanged.set(userId, count);
    const { requestsPerMinute, requestsPerMinuteOfToken } = this.budgets.of(plan);
    const less = (policy: RateLimitState['policy'], budget: WindowedBudget, limit: number | null): readonly RateLimitState[] => {
      if (limit === null) return [];
      const known = this.windows.use(budget, userId);
      // In a new window there is nothing to take back.
      const isTakenBack = count > 0 && known.used > 0;
      return [stateOf(policy, limit, isTakenBack ? this.windows.add(budget, userId, -1, limit) : known)];
    };
    return [...less('account', REQUESTS, requestsPerMinute), ...less('token', ofToken(tokenId), requestsPerMinuteOfToken)];
  }
}

const stateOf = (policy: RateLimitState['policy'], limit: number, use: WindowUse): RateLimitState => ({
  policy,
  limit,
  windowSeconds: REQUESTS.seconds,
  ...use,
});
