import { Module } from '@nestjs/common';
import type pg from 'pg';
import { Guard } from '../../base/guard/guard.ts';
import { KEYRING, type Keyring } from '../../base/keyring/keyring.ts';
import { SECRETS, type Secrets } from '../../base/keyring/secrets.ts';
import { type Mailer, MAILER } from '../../base/mail/mailer.ts';
import { DeliveryStore } from '../../base/notifications/delivery-store.ts';
import { DATABASE } from '../../base/pool.ts';
import { RemoveChannelHandler } from '../../commands/account/remove-channel.command.ts';
import { SetChannelHandler } from '../../commands/account/set-channel.command.ts';
import { CONFIG, type Config } from '../../config.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/kit/views.ts';
import { ChannelTest, openChannelTest } from '../../reactors/channels/channel-test.ts';
import { AccountModule } from '../account/account.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { ChannelsController } from './channels.controller.ts';
import { DeliveriesController } from './deliveries.controller.ts';

@Module({
  imports: [AccountModule, AuthModule],
  controllers: [ChannelsController, DeliveriesController],
  providers: [
    SetChannelHandler,
    RemoveChannelHandler,
    { provide: DeliveryStore, useFactory: (pool: pg.Pool) => new DeliveryStore(pool), inject: [DATABASE] },
    {
      provide: ChannelTest,
      useFactory: (config: Config, guard: Guard, mailer: Mailer, secrets: Secrets, keyring: Keyring, views: ViewsAt) =>
        openChannelTest({ config, guard, mailer, secrets, keyring, views }),
      inject: [CONFIG, Guard, MAILER, SECRETS, KEYRING, VIEWS_AT],
    },
  ],
})
export class ChannelsModule {}
