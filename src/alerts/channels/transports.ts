import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { RotatingSecret } from '../../platform/security/keyring/rotating-secret.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import type { Config } from '../../platform/config/config.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Transports, VapidKeys } from './channel.ts';
import { guardedPost, postToOperator } from './post.ts';

/** Injection token. */
export const TRANSPORTS = Symbol('Transports');

export interface TransportOptions {
  readonly config: Pick<Config, 'mailFrom' | 'pagerdutyUrl' | 'pushoverUrl' | 'pushbulletUrl'>;
  readonly hookGuard: SsrfGuard;
  readonly mailer: Mailer;
  readonly rotating: { readonly vapid: Pick<RotatingSecret, 'accepted'> };
}

/** The transports of the running service. */
export function openTransports({ config, hookGuard, mailer, rotating }: TransportOptions): Transports {
  const { mailFrom, pagerdutyUrl, pushoverUrl, pushbulletUrl } = config;
  const vapid = async (): Promise<readonly VapidKeys[]> =>
    (await rotating.vapid.accepted()).map(({ key }) => JSON.parse(key.toString('utf8')) as VapidKeys);
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
