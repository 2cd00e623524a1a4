import { Controller, Get } from '@nestjs/common';
import { AccountBudgets, JOB_SLOT } from './budgets/account-budgets.ts';
import { MAX_PERSONAL_TOKENS } from './plan.ts';
import { Claims } from '../platform/postgres/claims.ts';
import { SharedWindows, type WindowUse } from '../platform/postgres/shared-windows.ts';
import { accountView } from './account.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { EVENT_BYTES, MEBIBYTE } from './budgets/event-budget.ts';
import { REQUESTS } from './budgets/request-budget.ts';
import { StreamBudget } from './budgets/stream-budget.ts';
import { CurrentPrincipal } from '../platform/http/context/decorators.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { Needs } from './rights/needs.ts';
import { accountRight } from './rights/right.ts';
import type { UsageAnswer } from './usage.api.ts';

/** What the account has used of its budgets (docs/spec/decisions.md#A12). */
@Controller('account/usage')
export class UsageController {
  constructor(
    private readonly budgets: AccountBudgets,
    private readonly windows: SharedWindows,
    private readonly streams: StreamBudget,
    private readonly claims: Claims,
    private readonly views: ViewsAt,
  ) {}

  @Get()
  @Needs(accountRight)
  async usage(@CurrentPrincipal() { userId, plan }: Principal): Promise<UsageAnswer> {
    const { requestsPerMinute, eventMegabytesPerDay, liveStreams, runningJobs } = this.budgets.of(plan);
    const [requests, events, jobs, account] = await Promise.all([
      this.windows.exactUse(REQUESTS, userId),
      this.windows.exactUse(EVENT_BYTES, userId),
      this.claims.slotsTaken(JOB_SLOT, String(userId)),
      this.views.now().get(accountView, String(userId)),
    ]);
    return {
      plan,
      requests: windowed(requests, requestsPerMinute),
      eventBytes: windowed(events, eventMegabytesPerDay === null ? null : eventMegabytesPerDay * MEBIBYTE),
      liveStreams: { used: this.streams.ofAccount(userId), allowed: liveStreams },
      runningJobs: { used: jobs, allowed: runningJobs },
      personalTokens: { used: account?.personalTokens.length ?? 0, allowed: MAX_PERSONAL_TOKENS },
    };
  }
}

/** What is above the limit is not counted. */
const windowed = ({ used, secondsLeft }: WindowUse, allowed: number | null): UsageAnswer['requests'] => ({ used, allowed, secondsLeft });
