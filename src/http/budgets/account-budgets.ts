import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config.ts';
import { type Budgets, budgetsOf, PLANS, type Plans } from '../../domain/account/plan.ts';

/** The budgets that a plan grants, with the defaults of the installation. */
@Injectable()
export class AccountBudgets {
  private readonly byPlan = new Map<string, Budgets>();

  constructor(
    @Inject(PLANS) private readonly plans: Plans,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  of(planName: string): Budgets {
    const known = this.byPlan.get(planName);
    if (known !== undefined) return known;
    const { rateLimit } = this.config;
    const budgets = { requestsPerMinute: rateLimit === 0 ? null : rateLimit, ...budgetsOf(this.plans.get(planName)) };
    this.byPlan.set(planName, budgets);
    return budgets;
  }
}
