import { Module } from '@nestjs/common';
import { DeadLetters } from './process/dead-letters.ts';
import { DeliveryStore } from '../platform/outbox/delivery-store.ts';
import { EndPreviousSecretsHandler, RemoveChannelHandler, SetChannelHandler } from './channels/channel.commands.ts';
import { ChangeNotificationsHandler } from './preferences/preference.commands.ts';

/** The commands of channels and preferences, and what was and was not delivered. */
@Module({
  providers: [
    ...[DeadLetters, DeliveryStore],
    ...[EndPreviousSecretsHandler, RemoveChannelHandler, SetChannelHandler],
    ...[ChangeNotificationsHandler],
  ],
  exports: [DeadLetters, DeliveryStore],
})
export class AlertsModule {}
