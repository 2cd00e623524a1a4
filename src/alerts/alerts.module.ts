import { Module } from '@nestjs/common';
import { openTransports, TRANSPORTS } from './channels/transports.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { MAILER, type Mailer } from '../platform/mail/mailer.ts';
import { DeliveryStore } from '../platform/outbox/delivery-store.ts';
import { ROTATING_SECRETS, type RotatingSecrets } from '../platform/security/keyring/secrets.ts';
import { HOOK_GUARD, type SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { EndPreviousSecretsHandler, RemoveChannelHandler, SetChannelHandler } from './channels/channel.commands.ts';
import { FailureAlertsReader } from './failure-alerts.reader.ts';
import { ChangeNotificationsHandler } from './preferences/preference.commands.ts';

/** The commands of channels and preferences, and what was and was not delivered. */
@Module({
  providers: [
    DeliveryStore,
    FailureAlertsReader,
    {
      provide: TRANSPORTS,
      useFactory: (config: Config, hookGuard: SsrfGuard, mailer: Mailer, rotating: RotatingSecrets) =>
        openTransports({ config, hookGuard, mailer, rotating }),
      inject: [CONFIG, HOOK_GUARD, MAILER, ROTATING_SECRETS],
    },
    ...[EndPreviousSecretsHandler, RemoveChannelHandler, SetChannelHandler],
    ...[ChangeNotificationsHandler],
  ],
  exports: [DeliveryStore, FailureAlertsReader, TRANSPORTS],
})
export class AlertsModule {}
