import { Module } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import { Invitations } from './tokens/invitations.ts';
import { Erasures } from '../platform/security/erasures.ts';
import { ErasureNotice } from '../alerts/notices/erasure-notice.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { MailOutbox } from '../platform/mail/mail-outbox.ts';
import { DATABASE } from '../platform/postgres/pool.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { AuthModule } from './sign-in/auth.module.ts';
import { AccountController } from './account.controller.ts';
import { AccountErasure } from './erasure/account-erasure.ts';
import { AccountsController } from './accounts.controller.ts';
import { IdentityController } from './identity.controller.ts';
import { LinkPagesController } from './link-pages.controller.ts';
import { Links } from './links.ts';
import { People } from './person.ts';
import { NotificationEmailController } from './notification-email.controller.ts';
import { RegistrationController } from './registration.controller.ts';
import { TokenController } from './token.controller.ts';
import { TokenNarrowing } from './token-narrowing.ts';
import { UsageController } from './usage.controller.ts';

@Module({
  imports: [AuthModule],
  controllers: [
    AccountController,
    UsageController,
    TokenController,
    IdentityController,
    RegistrationController,
    NotificationEmailController,
    LinkPagesController,
    AccountsController,
  ],
  providers: [
    Links,
    People,
    TokenNarrowing,
    { provide: Erasures, useFactory: (pool: pg.Pool) => new Erasures(pool), inject: [DATABASE] },
    {
      provide: AccountErasure,
      useFactory: (bus: CommandBus, views: ViewsAt, erasures: Erasures, invitations: Invitations, keyring: Keyring, mails: MailOutbox) =>
        new AccountErasure(bus, views, erasures, invitations, new ErasureNotice(views, keyring, mails)),
      inject: [CommandBus, ViewsAt, Erasures, Invitations, Keyring, MailOutbox],
    },
  ],
  exports: [Links, People, TokenNarrowing],
})
export class AccountModule {}
