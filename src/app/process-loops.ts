import type { Logger } from 'pino';
import { PauseDestination } from '../streams/destinations/destination.commands.ts';
import { systemContext } from '../platform/commands/context.ts';
import type { Config } from '../platform/config/config.ts';
import type { Transports } from '../alerts/channels/channel.ts';
import { TRANSPORTS } from '../alerts/channels/transports.ts';
import type { EventPresenter } from '../streams/destinations/batch.ts';
import { DestinationPusher } from '../streams/destinations/destination-pusher.ts';
import { PushStore } from '../streams/destinations/push-store.ts';
import { cloudEventOf } from '../history/feed/cloud-event.ts';
import { NamesReader } from '../history/names-reader.ts';
import { presentEvents } from '../history/present-events.ts';
import { systemClock } from '../kernel/clock.ts';
import { GrowthProofs } from '../proof/seal/seal-growth.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import { DestinationMetrics } from '../streams/destinations/destination-metrics.ts';
import type { Parts } from './parts.ts';
import { STATUS_DRAFTS, StatusDrafts } from '../status-pages/drafts/status-drafts.ts';
import { StatusOutbox } from '../status-pages/subscribers/status-outbox.ts';
import { StatusSender } from '../status-pages/subscribers/status-sender.ts';
import { SubscriberLinks } from '../status-pages/subscribers/subscriber-links.ts';
import { SubscriberStore } from '../status-pages/subscribers/subscriber-store.ts';
import { OutboxRows } from '../platform/outbox/outbox-rows.ts';
import { ownOrigin } from '../platform/config/own-origin.ts';
import { statusNotices, STATUS_NOTIFIER } from '../status-pages/notices/status-notices.ts';
import { ClosedBooks } from '../platform/observations/closed-days/closed-books.ts';
import { SampleStore } from '../platform/observations/samples/sample-store.ts';
import { NOTIFIER } from '../alerts/process/notification-process.ts';
import type { LogEvent } from '../kernel/event.ts';
import { ConsumerStore } from '../platform/consumers/consumer-store.ts';
import { openNotificationPipeline } from '../alerts/notification-pipeline.ts';

/** The notification pipeline; each of its parts runs in one instance at a time, under a leader lease. */
export function notificationLoops(config: Config, parts: Parts): readonly LeasedLoop[] {
  const { leases, logger, seal } = parts;
  const { notifications, reports, delivery } = openNotificationPipeline({
    ...parts,
    consumers: parts.get(ConsumerStore),
    samples: parts.get(SampleStore),
    books: parts.get(ClosedBooks),
    transports: parts.get<Transports>(TRANSPORTS),
    publicUrl: config.publicUrl,
    mailIsConfigured: config.smtpUrl !== undefined,
    checkpoint: () => seal.ledger.checkpoint(),
    clock: systemClock,
    random: Math.random,
    onParked: parked(NOTIFIER, logger),
    report: reporting(logger, 'message could not be sent'),
  });
  const loop = (name: string, work: (signal: AbortSignal) => Promise<void>): LeasedLoop =>
    new LeasedLoop({ name, leases, work, report: reporting(logger, `the ${name} stopped`) });
  return [
    loop(NOTIFIER, (signal) => notifications.work(signal)),
    loop('reports', (signal) => reports.work(signal)),
    loop('sender', (signal) => delivery.work(signal)),
  ];
}

const reporting =
  (logger: Logger, what: string) =>
  (error: unknown): void => {
    logger.warn({ err: error }, `${what}; trying again`);
  };

const parked =
  (consumer: string, logger: Logger) =>
  ({ id: eventId, type, scope }: LogEvent, error: unknown): void => {
    logger.warn({ err: error, consumer, eventId, type, scope }, 'event could not be handled; its project or account is parked');
  };

const DESTINATIONS = 'destinations';

/** Pushes events to destinations, in one instance at a time. */
export function destinationsLoop(config: Config, parts: Parts): LeasedLoop {
  const { leases, logger, commands, seal, metrics } = parts;
  const report = reporting(logger, 'pushing events to destinations failed');
  const now = (): number => systemClock.now();
  const meter = new DestinationMetrics(metrics, () => parts.get(PushStore).status());
  const presenter = eventPresenter(config, parts);
  const proofs = new GrowthProofs(seal.ledger);
  const open = (): DestinationPusher =>
    new DestinationPusher({
      ...parts,
      store: parts.get(PushStore),
      transports: parts.get<Transports>(TRANSPORTS),
      presenter,
      seal: proofs,
      meter,
      now,
      random: Math.random,
      report,
      pause: ({ id, owner }, reason) =>
        commands.execute(
          new PauseDestination(systemContext({ kind: 'reactor', id: DESTINATIONS }, now()), { owner, destinationId: id, reason }),
        ),
    });
  // A new one for each term of the lease: what it holds in memory is of the log as of its beginning.
  return new LeasedLoop({ name: DESTINATIONS, leases, work: (signal) => open().work(signal), report });
}

function eventPresenter({ publicUrl, port }: Config, { get }: Parts): EventPresenter {
  const names = get(NamesReader);
  const baseUrl = `${publicUrl ?? `http://localhost:${String(port)}`}/api`;
  return {
    baseUrl,
    present: async (events) => (await presentEvents(names, events)).map((event) => cloudEventOf(event, baseUrl)),
  };
}

/** Drafts incidents of status pages, in one instance at a time. */
export function statusDraftsLoop(parts: Parts): LeasedLoop {
  const report = reporting(parts.logger, 'drafting incidents of status pages failed');
  const work = (signal: AbortSignal): Promise<void> =>
    new StatusDrafts({
      ...parts,
      consumers: parts.get(ConsumerStore),
      clock: systemClock,
      onParked: parked(STATUS_DRAFTS, parts.logger),
    }).work(signal);
  return new LeasedLoop({ name: STATUS_DRAFTS, leases: parts.leases, work, report });
}

/** Notifies the subscribers of status pages: one loop writes their outbox, one sends it, each in one instance at a time. */
export function statusNoticeLoops(config: Config, parts: Parts): readonly LeasedLoop[] {
  const { pool, leases, logger } = parts;
  const report = reporting(logger, 'notifying subscribers of status pages failed');
  const { relay } = new StatusSender({
    ...parts,
    outbox: new StatusOutbox(pool),
    rows: new OutboxRows(pool, 'status_delivery'),
    subscribers: parts.get(SubscriberStore),
    links: parts.get(SubscriberLinks),
    transports: parts.get<Transports>(TRANSPORTS),
    origin: ownOrigin(config),
    random: Math.random,
    report,
  });
  const write = (signal: AbortSignal): Promise<void> =>
    statusNotices({ ...parts, consumers: parts.get(ConsumerStore), clock: systemClock, onParked: parked(STATUS_NOTIFIER, logger) }).work(
      signal,
    );
  return [
    new LeasedLoop({ name: STATUS_NOTIFIER, leases, work: write, report }),
    new LeasedLoop({ name: 'status sender', leases, work: (signal) => relay.work(signal), report }),
  ];
}
