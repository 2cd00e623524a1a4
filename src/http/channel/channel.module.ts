import { Module } from '@nestjs/common';
import type pg from 'pg';
import { HOOK_GUARD, type SsrfGuard } from '../../security/ssrf-guard/ssrf-guard.ts';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import { ROTATING_SECRETS, type RotatingSecrets } from '../../security/keyring/rotating-secrets.ts';
import { type Mailer, MAILER } from '../../delivery/mail/mailer.ts';
import { DeliveryStore } from '../../delivery/outbox/delivery-store.ts';
import { DATABASE } from '../../persistence/pool.ts';
import { CONFIG, type Config } from '../../config.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { ChannelTest, openChannelTest } from '../../delivery/channels/channel-test.ts';
import { AccountModule } from '../account/account.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
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
      inject: [CONFIG, HOOK_GUARD, MAILER, ROTATING_SECRETS, KEYRING, VIEWS_AT],
    },
  ],
})
export class ChannelModule {}
