import { Logger, type Provider } from '@nestjs/common';
import pg from 'pg';
import { MailOutbox } from '../platform/mail/mail-outbox.ts';
import { guardedPost } from '../alerts/channels/post.ts';
import { SubscriberLinks } from './subscribers/subscriber-links.ts';
import { SIGN_UPS_PER_NETWORK, SubscriberSignUp } from './subscribers/subscriber-sign-up.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { HOOK_GUARD, type SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { NetworkLimit } from '../accounts/tokens/network-limit.ts';
import { TryStore } from '../accounts/tokens/try-store.ts';
import { HOUR_SECONDS } from '../kernel/time.ts';

export const subscriberProviders: readonly Provider[] = [
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
