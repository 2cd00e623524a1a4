import { type BeforeApplicationShutdown, Injectable, Logger, Module } from '@nestjs/common';
import type pg from 'pg';
import { DATABASE } from '../../platform/postgres/pool.ts';
import { SharedWindows } from '../../platform/postgres/shared-windows.ts';
import { AccountBudgets } from './account-budgets.ts';
import { EventBudget } from './event-budget.ts';
import { RequestBudget } from './request-budget.ts';
import { StreamBudget } from './stream-budget.ts';

/** Counts survive a restart. */
@Injectable()
class LastExchange implements BeforeApplicationShutdown {
  constructor(private readonly windows: SharedWindows) {}

  beforeApplicationShutdown(): Promise<void> {
    return this.windows.close();
  }
}

const logger = new Logger('budgets');

/** What one account may use, so that it cannot take it from the others (docs/decisions/budgets.md). */
@Module({
  providers: [
    {
      provide: SharedWindows,
      useFactory: (pool: pg.Pool) =>
        new SharedWindows(pool, (err) => {
          logger.warn({ msg: 'counts of budgets are not exchanged; each instance counts by itself', err });
        }),
      inject: [DATABASE],
    },
    AccountBudgets,
    RequestBudget,
    EventBudget,
    StreamBudget,
    LastExchange,
  ],
  exports: [SharedWindows, AccountBudgets, RequestBudget, EventBudget, StreamBudget],
})
export class BudgetsModule {}
