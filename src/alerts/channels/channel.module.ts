import { Module } from '@nestjs/common';
import type pg from 'pg';
import { HOOK_GUARD, type SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { ROTATING_SECRETS, type RotatingSecrets } from '../../platform/security/keyring/rotating-secrets.ts';
import { type Mailer, MAILER } from '../../platform/mail/mailer.ts';
import { DeliveryStore } from '../../platform/outbox/delivery-store.ts';
import { DATABASE } from '../../platform/postgres/pool.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { ChannelTest, openChannelTest } from './channel-test.ts';
import { AccountModule } from '../../accounts/account.module.ts';
import { AuthModule } from '../../accounts/sign-in/auth.module.ts';
import { ChannelController } from './channel.controller.ts';
import { DeliveryController } from './delivery.controller.ts';

@Module({
  imports: [AccountModule, AuthModule],
  controllers: [ChannelController, DeliveryController],
  providers: [
    { provide: DeliveryStore, useFactory: (pool: pg.Pool) => new DeliveryStore(pool), inject: [DATABASE] },
    {
      provide: ChannelTest,
      useFactory: (config: Config, hookGuard: SsrfGuard, mailer: Mailer, rotating: RotatingSecrets, keyring: Keyring, views: ViewsAt) =>
        openChannelTest({ config, hookGuard, mailer, rotating, keyring, views }),
      inject: [CONFIG, HOOK_GUARD, MAILER, ROTATING_SECRETS, Keyring, ViewsAt],
    },
  ],
})
export class ChannelModule {}
