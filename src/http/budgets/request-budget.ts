import { Inject, Injectable } from '@nestjs/common';
import { SharedWindows } from '../../persistence/shared-windows.ts';
import type { Principal } from '../context/principal.ts';
import { RateLimited } from '../errors/refusals.ts';
import { AccountBudgets } from './account-budgets.ts';

export const REQUESTS = { name: 'requests', seconds: 60 } as const;

/** Rate limit of an account: one window for all of its tokens and all instances (docs/spec/decisions.md#G12). */
@Injectable()
export class RequestBudget {
  constructor(
    @Inject(SharedWindows) private readonly windows: SharedWindows,
    @Inject(AccountBudgets) private readonly budgets: AccountBudgets,
  ) {}

  /** Counts one request; throws `RateLimited` above the limit. */
  count({ userId, plan }: Pick<Principal, 'userId' | 'plan'>): void {
    const { requestsPerMinute: limit } = this.budgets.of(plan);
    if (limit === null) return;
    const { used, secondsLeft } = this.windows.add(REQUESTS, userId, 1, limit);
    if (used > limit) throw new RateLimited(secondsLeft, 'requests');
  }
}
