import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { type Budgets, budgetsOf, Plans } from '../plan.ts';
import { callbackGauge } from '../../platform/telemetry/metrics/callback-gauge.ts';
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts';

/** Kind of claim: one of the jobs that may run at once in the projects of an account. */
export const JOB_SLOT = 'job-slot';

/** What budgets of accounts are in use. */
export class BudgetMetrics {
  constructor(private readonly metrics: Pick<Metrics, 'registry'>) {}

  streams(count: () => number): void {
    const row = { name: 'watchledger_live_streams', help: 'Live streams and followed jobs that are open on this instance' };
    callbackGauge(this.metrics.registry, row, (set) => {
      set(count());
    });
  }
}

/** Port: shows the use of budgets to the operator. */
export interface BudgetMeter {
  /** Live streams and followed jobs that are open on this instance. */
  streams(count: () => number): void;
}

/** Injection token. */
export const BUDGET_METER = Symbol('BudgetMeter');

/** The budgets that a plan grants, with the defaults of the installation. */
@Injectable()
export class AccountBudgets {
  private readonly byPlan = new Map<string, Budgets>();

  constructor(
    private readonly plans: Plans,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  of(planName: string): Budgets {
    const known = this.byPlan.get(planName);
    if (known !== undefined) return known;
    const { rateLimit, tokenRateLimit } = this.config;
    const { requestsPerMinute = unlessZero(rateLimit), ...stated } = budgetsOf(this.plans.get(planName));
    const requestsPerMinuteOfToken = tokenRateLimit === undefined ? requestsPerMinute : unlessZero(tokenRateLimit);
    const budgets = { requestsPerMinute, requestsPerMinuteOfToken, ...stated };
    this.byPlan.set(planName, budgets);
    return budgets;
  }
}

const unlessZero = (limit: number): number | null => (limit === 0 ? null : limit);
