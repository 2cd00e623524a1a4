import { Logger, type Provider, Module } from '@nestjs/common';
import { MailOutbox } from '../platform/mail/mail-outbox.ts';
import { guardedPost } from '../alerts/channels/post.ts';
import { SubscriberLinks } from './subscribers/subscriber-links.ts';
import { SIGN_UPS_PER_NETWORK, SubscriberSignUp } from './subscribers/subscriber-sign-up.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { HOOK_GUARD, type SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { NetworkLimit } from '../accounts/tokens/network-limit.ts';
import { TryStore } from '../accounts/tokens/try-store.ts';
import { HOUR_SECONDS } from '../kernel/time.ts';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { IncidentController } from './incident.controller.ts';
import { PageDoor, PageMembers } from './page-door.ts';
import { PageHosts } from './page-hosts.ts';
import { PagePasswords } from './page-passwords.ts';
import { PageReading } from './page-reading.ts';
import { ProvenRecords } from './proven-records.ts';
import { PublicPages } from './public-pages.ts';
import { PublicStatusRoutes } from './public-routes.ts';
import { RecordReading } from './record-reading.ts';
import { ServedPages } from './served-pages.ts';
import { StatusPagesModule } from './status-pages.module.ts';
import { StatusPageRights } from './status-page-rights.ts';
import { StatusPageController } from './status-page.controller.ts';
import { SubscriberRoutes } from './subscriber-routes.ts';
import { SubscriberController } from './subscriber.controller.ts';
import pg from 'pg';

const subscriberProviders: readonly Provider[] = [
  {
    provide: SubscriberSignUp,
    useFactory: (pool: pg.Pool, secrets: Secrets, links: SubscriberLinks, mails: MailOutbox, guard: SsrfGuard) => {
      const logger = new Logger('status pages');
      const hour = new TryStore(pool, HOUR_SECONDS);
      return new SubscriberSignUp({
        links,
        mails,
        guard,
        post: guardedPost(guard),
        hour,
        day: new TryStore(pool, 24 * HOUR_SECONDS),
        networks: new NetworkLimit(hour, secrets, 'subscriber', SIGN_UPS_PER_NETWORK),
        now: () => Date.now(),
        report: (error) => {
          logger.warn({ msg: 'a webhook could not be asked to confirm', err: error });
        },
      });
    },
    inject: [pg.Pool, Secrets, SubscriberLinks, MailOutbox, HOOK_GUARD],
  },
];

/** Status pages, their incidents and their subscribers. */
@Module({
  imports: [AccountsRoutesModule, StatusPagesModule],
  controllers: [StatusPageController, IncidentController, SubscriberController],
  providers: [
    StatusPageRights,
    PageReading,
    ServedPages,
    RecordReading,
    ProvenRecords,
    PageMembers,
    PagePasswords,
    PublicPages,
    PageHosts,
    PageDoor,
    PublicStatusRoutes,
    ...subscriberProviders,
    SubscriberRoutes,
  ],
  exports: [StatusPageRights],
})
export class StatusPagesRoutesModule {}
