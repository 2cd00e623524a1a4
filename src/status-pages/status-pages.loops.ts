import { TRANSPORTS } from '../alerts/channels/transports.ts';
import type { Transports } from '../alerts/channels/channel.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { ownOrigin } from '../platform/config/own-origin.ts';
import { type LoopParts, reportParked, reportRetry } from '../platform/consumers/consumer-loops.ts';
import { ConsumerStore } from '../platform/consumers/consumer-store.ts';
import { OutboxRows } from '../platform/outbox/outbox-rows.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import { STATUS_DRAFTS, StatusDrafts, type StatusDraftsParts } from './drafts/status-drafts.ts';
import { STATUS_NOTIFIER, statusNotices, type StatusNoticesParts } from './notices/status-notices.ts';
import { StatusOutbox } from './subscribers/status-outbox.ts';
import { StatusSender } from './subscribers/status-sender.ts';
import { SubscriberLinks } from './subscribers/subscriber-links.ts';
import { SubscriberStore } from './subscribers/subscriber-store.ts';

type StatusPageLoopParts = LoopParts & Pick<StatusNoticesParts, 'pool' | 'log' | 'views' | 'wake'> & Pick<StatusDraftsParts, 'commands'>;

/** Drafts incidents, and notifies subscribers: one loop writes their outbox, one sends it. Each runs in one instance at a time. */
export function statusPageLoops(config: Config, parts: StatusPageLoopParts): readonly LeasedLoop[] {
  const { pool, leases, logger, get } = parts;
  const report = reportRetry(logger, 'notifying subscribers of status pages failed');
  const { relay } = new StatusSender({
    ...parts,
    outbox: new StatusOutbox(pool),
    rows: new OutboxRows(pool, 'status_delivery'),
    subscribers: get(SubscriberStore),
    links: get(SubscriberLinks),
    transports: get<Transports>(TRANSPORTS),
    origin: ownOrigin(config),
    random: Math.random,
    report,
  });
  const shared = { ...parts, consumers: get(ConsumerStore), clock: systemClock };
  return [
    new LeasedLoop({
      name: STATUS_NOTIFIER,
      leases,
      work: (signal) => statusNotices({ ...shared, onParked: reportParked(STATUS_NOTIFIER, logger) }).work(signal),
      report,
    }),
    new LeasedLoop({ name: 'status sender', leases, work: (signal) => relay.work(signal), report }),
    new LeasedLoop({
      name: STATUS_DRAFTS,
      leases,
      work: (signal) => new StatusDrafts({ ...shared, onParked: reportParked(STATUS_DRAFTS, logger) }).work(signal),
      report: reportRetry(logger, 'drafting incidents of status pages failed'),
    }),
  ];
}
