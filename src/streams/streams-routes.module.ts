import { Module } from '@nestjs/common';
import pg from 'pg';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { HistoryRoutesModule } from '../history/history-routes.module.ts';
import { AlertsModule } from '../alerts/alerts.module.ts';
import type { Transports } from '../alerts/channels/channel.ts';
import { TRANSPORTS } from '../alerts/channels/transports.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { eventsAt } from '../platform/log/postgres-log.ts';
import { Log } from '../platform/log/log.ts';
import { LogSearcher } from '../platform/log/search.ts';
import { Wake } from '../platform/postgres/wake.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { HOOK_GUARD, type SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { DestinationActions, DestinationTest } from './destinations/destination-actions.ts';
import { DestinationReading } from './destinations/destination-reading.ts';
import { DestinationController } from './destinations/destination.controller.ts';
import { InstallationDestinationController } from './destinations/installation-destination.controller.ts';
import { LiveFeed } from './live/live-feed.ts';
import { LiveResults } from './live/live-results.ts';
import { LiveController } from './live/live.controller.ts';
import { StreamsModule } from './streams.module.ts';
import { ParkedEventsController } from './subscriptions/parked-events.controller.ts';
import { SubscriptionMetrics } from './subscriptions/subscription-metrics.ts';
import { SubscriptionReading } from './subscriptions/subscription-reading.ts';
import { SubscriptionRights } from './subscriptions/subscription-rights.ts';
import { SubscriptionStore } from './subscriptions/subscription-store.ts';
import { SubscriptionController } from './subscriptions/subscription.controller.ts';
import { Subscriptions } from './subscriptions/subscriptions.ts';

/** Events out of the service: live, to subscriptions, to destinations. */
@Module({
  imports: [AccountsRoutesModule, AlertsModule, HistoryRoutesModule, StreamsModule],
  controllers: [LiveController, SubscriptionController, ParkedEventsController, DestinationController, InstallationDestinationController],
  providers: [
    LiveFeed,
    LiveResults,
    SubscriptionReading,
    SubscriptionRights,
    {
      provide: Subscriptions,
      useFactory: (
        store: SubscriptionStore,
        ...[pool, log, searcher, config, meter, wake]: [pg.Pool, Log, LogSearcher, Config, SubscriptionMetrics, Wake]
      ) => new Subscriptions(store, { log, searcher, eventsAt: (positions) => eventsAt(pool, positions) }, config, meter, wake),
      inject: [SubscriptionStore, pg.Pool, Log, LogSearcher, CONFIG, SubscriptionMetrics, Wake],
    },
    DestinationActions,
    DestinationReading,
    {
      provide: DestinationTest,
      useFactory: (hookGuard: SsrfGuard, keyring: Keyring, transports: Transports) => new DestinationTest(hookGuard, keyring, transports),
      inject: [HOOK_GUARD, Keyring, TRANSPORTS],
    },
  ],
})
export class StreamsRoutesModule {}
