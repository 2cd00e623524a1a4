import { Module } from '@nestjs/common';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { AlertsModule } from './alerts.module.ts';
import type { Transports } from './channels/channel.ts';
import { ChannelTest } from './channels/channel-test.ts';
import { ChannelController } from './channels/channel.controller.ts';
import { DeliveryController } from './channels/delivery.controller.ts';
import { NotificationSettingsController } from './preferences/notification-settings.controller.ts';
import { TRANSPORTS } from './channels/transports.ts';
import { AddressBook } from './sender/address-book.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { HOOK_GUARD, type SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';

/** Whom alerts reach, and by which channels. */
@Module({
  imports: [AccountsRoutesModule, AlertsModule],
  controllers: [ChannelController, DeliveryController, NotificationSettingsController],
  providers: [
    {
      provide: ChannelTest,
      useFactory: (hookGuard: SsrfGuard, views: ViewsAt, keyring: Keyring, transports: Transports) =>
        new ChannelTest(hookGuard, new AddressBook(views, keyring), transports),
      inject: [HOOK_GUARD, ViewsAt, Keyring, TRANSPORTS],
    },
  ],
})
export class AlertsRoutesModule {}
