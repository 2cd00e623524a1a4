import { Global, Module } from '@nestjs/common';
import { AccountOrphans } from '../accounts/erasure/account-erasure.ts';
import { Metrics } from '../platform/telemetry/metrics/metrics.ts';
import { PushStore } from './destinations/push-store.ts';
import { SubscriptionCleanup } from './subscriptions/subscription-cleanup.ts';
import { SubscriptionMetrics } from './subscriptions/subscription-metrics.ts';
import { SubscriptionStore } from './subscriptions/subscription-store.ts';
import {
  AddDestinationHandler,
  ChangeDestinationHandler,
  PauseDestinationHandler,
  RemoveDestinationHandler,
  ReplayDestinationHandler,
  ResumeDestinationHandler,
} from './destinations/destination.commands.ts';

/** The commands of destinations, and the positions of subscriptions and destinations. */
@Global()
@Module({
  providers: [
    ...[PushStore, SubscriptionStore],
    { provide: AccountOrphans, useClass: SubscriptionCleanup },
    { provide: SubscriptionMetrics, useFactory: (metrics: Metrics) => new SubscriptionMetrics(metrics), inject: [Metrics] },
    AddDestinationHandler,
    ChangeDestinationHandler,
    PauseDestinationHandler,
    RemoveDestinationHandler,
    ReplayDestinationHandler,
    ResumeDestinationHandler,
  ],
  exports: [PushStore, SubscriptionStore, SubscriptionMetrics, AccountOrphans],
})
export class StreamsModule {}
