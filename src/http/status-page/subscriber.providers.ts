import { Logger, type Provider } from '@nestjs/common';
import type pg from 'pg';
import { MailOutbox } from '../../delivery/mail/mail-outbox.ts';
import { guardedPost } from '../../delivery/channels/post.ts';
import { SubscriberLinks } from '../../delivery/subscribers/subscriber-links.ts';
import { SIGN_UPS_PER_NETWORK, SubscriberSignUp } from '../../delivery/subscribers/subscriber-sign-up.ts';
import { SubscriberStore } from '../../delivery/subscribers/subscriber-store.ts';
import { DATABASE } from '../../persistence/pool.ts';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { HOOK_GUARD, type SsrfGuard } from '../../security/ssrf-guard/ssrf-guard.ts';
import { NetworkLimit } from '../../security/tokens/network-limit.ts';
import { TryStore } from '../../security/tokens/try-store.ts';

const HOUR_SECONDS = 3_600;

export const subscriberProviders: readonly Provider[] = [
  { provide: SubscriberLinks, useFactory: (secrets: Secrets) => new SubscriberLinks(secrets), inject: [SECRETS] },
  {
    provide: SubscriberStore,
    useFactory: (pool: pg.Pool, secrets: Secrets) => new SubscriberStore(pool, secrets),
    inject: [DATABASE, SECRETS],
  },
  {
    provide: SubscriberSignUp,
    useFactory: (pool: pg.Pool, secrets: Secrets, links: SubscriberLinks, mails: MailOutbox, guard: SsrfGuard) => {
      const logger = new Logger('status pages');
      const hour = new TryStore(pool, HOUR_SECONDS);
      return new SubscriberSignUp({
        ...{ links, mails, guard, post: guardedPost(guard), hour, day: new TryStore(pool, 24 * HOUR_SECONDS) },
        networks: new NetworkLimit(hour, secrets, 'subscriber', SIGN_UPS_PER_NETWORK),
        now: () => Date.now(),
        report: (error) => {
          logger.warn({ msg: 'a webhook could not be asked to confirm', err: error });
        },
      });
    },
    inject: [DATABASE, SECRETS, SubscriberLinks, MailOutbox, HOOK_GUARD],
  },
];
