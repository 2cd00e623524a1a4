import { Module } from '@nestjs/common';
import type pg from 'pg';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { eventsAt } from '../../platform/log/events-at.ts';
import { Log } from '../../platform/log/log.ts';
import { LogSearcher } from '../../platform/log/search.ts';
import { DATABASE } from '../../platform/postgres/pool.ts';
import { Wake } from '../../platform/postgres/wake.ts';
import { SubscriptionStore } from './subscription-store.ts';
import { SUBSCRIPTION_METER, type SubscriptionMeter, Subscriptions } from './subscriptions.ts';
import { AuthModule } from '../../accounts/sign-in/auth.module.ts';
import { HistoryModule } from '../../history/history.module.ts';
import { ParkedEventsController } from './parked-events.controller.ts';
import { SubscriptionController } from './subscription.controller.ts';
import { SubscriptionReading } from './subscription-reading.ts';
import { SubscriptionRights } from './subscription-rights.ts';

@Module({
  imports: [AuthModule, HistoryModule],
  controllers: [SubscriptionController, ParkedEventsController],
  providers: [
    SubscriptionReading,
    SubscriptionRights,
    {
      provide: Subscriptions,
      useFactory: (pool: pg.Pool, log: Log, config: Config, meter: SubscriptionMeter, wake: Wake) => {
        const access = { log, searcher: new LogSearcher(pool), eventsAt: (positions: readonly number[]) => eventsAt(pool, positions) };
        return new Subscriptions(new SubscriptionStore(pool), access, config, meter, wake);
      },
      inject: [DATABASE, Log, CONFIG, SUBSCRIPTION_METER, Wake],
    },
  ],
})
export class SubscriptionsModule {}
