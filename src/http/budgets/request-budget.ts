import { Inject, Injectable } from '@nestjs/common';
import { SharedWindows, type WindowedBudget, type WindowUse } from '../../persistence/shared-windows.ts';
import type { Principal } from '../context/principal.ts';
import { AccountBudgets } from './account-budgets.ts';
import type { RateLimitState } from './rate-limit.ts';

export const REQUESTS = { name: 'requests', seconds: 60 } as const;

const ofToken = (tokenId: string): WindowedBudget => ({ name: `requests ${tokenId}`, seconds: REQUESTS.seconds });

/** Rate limits of an account, one window for all of its tokens, and of each token; over all instances (docs/spec/decisions.md#G12). */
@Injectable()
export class RequestBudget {
  constructor(
    @Inject(SharedWindows) private readonly windows: SharedWindows,
    @Inject(AccountBudgets) private readonly budgets: AccountBudgets,
  ) {}

  /** Counts one request; empty without a limit. What its token may not send takes nothing from the account. */
  count({ userId, tokenId, plan }: Pick<Principal, 'userId' | 'tokenId' | 'plan'>): readonly RateLimitState[] {
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
}

const stateOf = (policy: RateLimitState['policy'], limit: number, use: WindowUse): RateLimitState => ({
  policy,
  limit,
  windowSeconds: REQUESTS.seconds,
  ...use,
});
