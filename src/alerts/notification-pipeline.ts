import type pg from 'pg';
import type { Keyring } from '../platform/security/keyring/keyring.ts';
import { type Delivery, DeliveryStore } from '../platform/outbox/delivery-store.ts';
import { OutboxRows } from '../platform/outbox/outbox-rows.ts';
import type { OutboxRelay } from '../platform/outbox/outbox-relay.ts';
import type { Wake } from '../platform/postgres/wake.ts';
import type { CommandRunner } from '../platform/commands/command-runner.ts';
import { NotificationRecord } from './notification.commands.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Tracer } from '../kernel/tracer.ts';
import type { Log } from '../platform/log/log.ts';
import type { ClosedBooks } from '../platform/observations/closed-days/closed-books.ts';
import type { SampleReader } from '../platform/observations/samples/sample-store.ts';
import type { ViewsAt } from '../platform/read-models/views/views.ts';
import { CorrectionReader } from '../checker/corrections/correction.reader.ts';
import { ResponseTimesReader } from '../watches/response-times/response-times.reader.ts';
import { UptimeReader } from '../watches/uptime/uptime.reader.ts';
import type { Transports } from './channels/channel.ts';
import type { TransactionalConsumer } from '../platform/consumers/transactional-consumer.ts';
import { notificationProcess, type NotificationProcessParts } from './process/notification-process.ts';
import { ReportPlanner } from './reports/planner.ts';
import { ReportSender } from './reports/report-sender.ts';
import { ReportReader } from './reports/report-reader.ts';
import { AddressBook } from './sender/address-book.ts';
import { AlertSender } from './sender/alert-sender.ts';
import { NoticeSender } from './notices/notice-sender.ts';
import { MessageBundler } from './sender/message-bundler.ts';
import { type ConsoleOf, MessageReader } from './sender/message-reader.ts';
import { DeliveryWorker } from './sender/delivery-worker.ts';

export interface NotificationPipelineParts extends Pick<NotificationProcessParts, 'consumers' | 'onParked' | 'retry'> {
  readonly pool: pg.Pool;
  readonly runner: CommandRunner;
  readonly log: Log;
  readonly views: ViewsAt;
  readonly samples: SampleReader;
  readonly books: ClosedBooks;
  readonly wake: Wake;
  readonly keyring: Keyring;
  readonly transports: Transports;
  readonly mailIsConfigured: boolean;
  /** Where a recipient reaches the evidence of an alert. */
  readonly consoleOf: ConsoleOf;
  /** The latest signed checkpoint of the seal. */
  readonly checkpoint: () => Promise<string | null>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
  readonly tracer?: Tracer;
}

/** The transactional outbox: two process managers write intents into it, one relay delivers them. */
export interface NotificationPipeline {
  readonly notifications: TransactionalConsumer;
  readonly reports: ReportPlanner;
  readonly delivery: OutboxRelay<Delivery>;
}

export function openNotificationPipeline(parts: NotificationPipelineParts): NotificationPipeline {
  const { pool, runner, log, views, samples, books, keyring, transports, checkpoint, clock } = parts;
  const bundler = new MessageBundler(pool);
  const reader = new ReportReader({
    views,
    log,
    uptime: new UptimeReader(views, samples),
    responseTimes: new ResponseTimesReader(views, samples, books),
    corrections: new CorrectionReader(views, log, pool),
    checkpoint,
    clock,
  });
  const addresses = new AddressBook(views, keyring, clock);
  const messages = new MessageReader(bundler, addresses, views, log, parts.consoleOf);
  const senders = {
    alert: new AlertSender({ bundler, messages, views, transports }),
    notice: new NoticeSender({ bundler, views, keyring, transports }),
    report: new ReportSender({ bundler, reader, views, transports }),
  };
  const { relay } = new DeliveryWorker({
    ...parts,
    deliveries: new DeliveryStore(pool),
    rows: new OutboxRows(pool, 'notification_message'),
    bundler,
    senders,
    addresses,
    record: new NotificationRecord(runner),
  });
  return { notifications: notificationProcess(parts), reports: new ReportPlanner(parts), delivery: relay };
}
