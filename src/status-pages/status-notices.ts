import { systemClock } from '../kernel/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { openTransports } from '../alerts/channels/transports.ts';
import { StatusOutbox } from './subscribers/status-outbox.ts';
import { StatusSender } from './subscribers/status-sender.ts';
import { SubscriberLinks } from './subscribers/subscriber-links.ts';
import { SubscriberStore } from './subscribers/subscriber-store.ts';
import { ownOrigin } from '../platform/config/own-origin.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import { StatusNotices } from './notices/status-notices.ts';
import type { Parts } from '../app/parts.ts';

/** Notifies the subscribers of status pages: one loop writes their outbox, one sends it, each in one instance at a time. */
export function statusNoticeLoops(config: Config, parts: Parts): readonly LeasedLoop[] {
  const { pool, secrets, leases, logger } = parts;
  const report = (error: unknown): void => {
    logger.warn({ err: error }, 'notifying subscribers of status pages failed; trying again');
  };
  const sender = new StatusSender({
    ...parts,
    ...{ outbox: new StatusOutbox(pool), subscribers: new SubscriberStore(pool, secrets), links: new SubscriberLinks(secrets) },
    ...{ transports: openTransports({ ...parts, config }), origin: ownOrigin(config), random: Math.random, report },
  });
  // A new one for each term of the lease: its checkpoint is read again.
  const write = (signal: AbortSignal): Promise<void> => new StatusNotices({ ...parts, clock: systemClock }).work(signal);
  return [
    new LeasedLoop({ name: 'status notices', leases, work: write, report }),
    new LeasedLoop({ name: 'status sender', leases, work: (signal) => sender.work(signal), report }),
  ];
}
