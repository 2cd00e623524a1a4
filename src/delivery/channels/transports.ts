import type { SsrfGuard } from '../../security/ssrf-guard/ssrf-guard.ts';
import type { Secrets } from '../../security/keyring/secrets.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Config } from '../../config.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Transports, VapidKeys } from './channel.ts';
import { guardedPost, postToOperator } from './post.ts';
import { newVapidKeys } from './web-push.channel.ts';

export interface TransportOptions {
  readonly config: Pick<Config, 'mailFrom' | 'pagerdutyUrl' | 'pushoverUrl' | 'pushbulletUrl'>;
  readonly hookGuard: SsrfGuard;
  readonly mailer: Mailer;
  readonly secrets: Secrets;
}

/** The transports of the running service. */
export function openTransports({ config, hookGuard, mailer, secrets }: TransportOptions): Transports {
  const { mailFrom, pagerdutyUrl, pushoverUrl, pushbulletUrl } = config;
  const vapid = async (): Promise<VapidKeys> => JSON.parse((await secrets.secret('vapid', newVapidKeys)).toString('utf8')) as VapidKeys;
  return {
    post: guardedPost(hookGuard),
    postToService: postToOperator(),
    mailer,
    mailFrom,
    pagerdutyUrl,
    pushoverUrl,
    pushbulletUrl,
    vapid,
    now: () => systemClock.now(),
  };
}
