import { Module } from '@nestjs/common';
import type pg from 'pg';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { HistoryModule } from '../history/history.module.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { eventsAt } from '../platform/log/events-at.ts';
import { Log } from '../platform/log/log.ts';
import { LogSearcher } from '../platform/log/search.ts';
import { MAILER, type Mailer } from '../platform/mail/mailer.ts';
import { DATABASE } from '../platform/postgres/pool.ts';
import { Wake } from '../platform/postgres/wake.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { ROTATING_SECRETS, type RotatingSecrets } from '../platform/security/keyring/secrets.ts';
import { HOOK_GUARD, type SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { DestinationActions } from './destinations/destination-actions.ts';
import { DestinationReading } from './destinations/destination-reading.ts';
import { DestinationTest, openDestinationTest } from './destinations/destination-test.ts';
import { DestinationController } from './destinations/destination.controller.ts';
import { InstallationDestinationController } from './destinations/installation-destination.controller.ts';
import { LiveFeed } from './live/live-feed.ts';
import { LiveResults } from './live/live-results.ts';
import { LiveController } from './live/live.controller.ts';
import { ParkedEventsController } from './subscriptions/parked-events.controller.ts';
import { SubscriptionReading } from './subscriptions/subscription-reading.ts';
import { SubscriptionRights } from './subscriptions/subscription-rights.ts';
import { SubscriptionStore } from './subscriptions/subscription-store.ts';
import { SubscriptionController } from './subscriptions/subscription.controller.ts';
import { SUBSCRIPTION_METER, type SubscriptionMeter, Subscriptions } from './subscriptions/subscriptions.ts';

/** Events out of the service: live, to subscriptions, to destinations. */
@Module({
  imports: [AccountsModule, HistoryModule],
  controllers: [LiveController, SubscriptionController, ParkedEventsController, DestinationController, InstallationDestinationController],
  providers: [
    LiveFeed,
    LiveResults,
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
    DestinationActions,
    DestinationReading,
    {
      provide: DestinationTest,
      useFactory: (config: Config, hookGuard: SsrfGuard, mailer: Mailer, rotating: RotatingSecrets, keyring: Keyring) =>
        openDestinationTest({ config, hookGuard, mailer, rotating, keyring }),
      inject: [CONFIG, HOOK_GUARD, MAILER, ROTATING_SECRETS, Keyring],
    },
  ],
})
export class StreamsModule {}
