import { Inject, Injectable } from '@nestjs/common';
import { SharedWindows } from '../../persistence/shared-windows.ts';
import type { Principal } from '../context/principal.ts';
import { AccountBudgets } from './account-budgets.ts';
import type { RateLimitState } from './rate-limit.ts';

export const REQUESTS = { name: 'requests', seconds: 60 } as const;

/** Rate limit of an account: one window for all of its tokens and all instances (docs/spec/decisions.md#G12). */
@Injectable()
export class RequestBudget {
  constructor(
    @Inject(SharedWindows) private readonly windows: SharedWindows,
    @Inject(AccountBudgets) private readonly budgets: AccountBudgets,
  ) {}

  /** Counts one request; null without a limit. */
  count({ userId, plan }: Pick<Principal, 'userId' | 'plan'>): RateLimitState | null {
    const { requestsPerMinute: limit } = this.budgets.of(plan);
    if (limit === null) return null;
    return { policy: 'account', limit, windowSeconds: REQUESTS.seconds, ...this.windows.add(REQUESTS, userId, 1, limit) };
  }
}
