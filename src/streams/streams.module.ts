import { Module } from '@nestjs/common';
import { PushStore } from './destinations/push-store.ts';
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
@Module({
  providers: [
    ...[PushStore, SubscriptionStore],
    AddDestinationHandler,
    ChangeDestinationHandler,
    PauseDestinationHandler,
    RemoveDestinationHandler,
    ReplayDestinationHandler,
    ResumeDestinationHandler,
  ],
  exports: [PushStore, SubscriptionStore],
})
export class StreamsModule {}
