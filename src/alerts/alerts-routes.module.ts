import { Module } from '@nestjs/common';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { AlertsModule } from './alerts.module.ts';
import { ChannelTest, openChannelTest } from './channels/channel-test.ts';
import { ChannelController } from './channels/channel.controller.ts';
import { DeliveryController } from './channels/delivery.controller.ts';
import { NotificationSettingsController } from './preferences/notification-settings.controller.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { MAILER, type Mailer } from '../platform/mail/mailer.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { ROTATING_SECRETS, type RotatingSecrets } from '../platform/security/keyring/secrets.ts';
import { HOOK_GUARD, type SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';

/** Whom alerts reach, and by which channels. */
@Module({
  imports: [AccountsRoutesModule, AlertsModule],
  controllers: [ChannelController, DeliveryController, NotificationSettingsController],
  providers: [
    {
      provide: ChannelTest,
      useFactory: (config: Config, hookGuard: SsrfGuard, mailer: Mailer, rotating: RotatingSecrets, keyring: Keyring, views: ViewsAt) =>
        openChannelTest({ config, hookGuard, mailer, rotating, keyring, views }),
      inject: [CONFIG, HOOK_GUARD, MAILER, ROTATING_SECRETS, Keyring, ViewsAt],
    },
  ],
})
export class AlertsRoutesModule {}
