import type { Logger } from 'pino';
import { DeliveryStore } from '../base/notifications/delivery-store.ts';
import { mailerOf } from '../base/mail/smtp-mailer.ts';
import { Handling } from '../commands/handle.ts';
import { NotificationRecord } from '../commands/notification/record-notification.ts';
import type { Config } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { LeasedLoop } from '../projections/kit/leased-loop.ts';
import { openOutside } from '../reactors/channels/outside.ts';
import { Notifier } from '../reactors/notifier/notifier.ts';
import { AddressBook } from '../reactors/sender/address-book.ts';
import { Bundling } from '../reactors/sender/bundling.ts';
import { MessageReader } from '../reactors/sender/message-reader.ts';
import { Sender } from '../reactors/sender/sender.ts';
import type { Parts } from './parts.ts';

/** One over all instances writes down who is to be told, one carries it to them. */
export function notificationLoops(config: Config, parts: Parts): readonly LeasedLoop[] {
  const { pool, log, views, wake, leases, keyring, store, logger } = parts;
  const notifier = new Notifier({ pool, log, views, wake, clock: systemClock, mailIsOn: config.smtpUrl !== undefined });
  const bundling = new Bundling(pool);
  const sender = new Sender({
    deliveries: new DeliveryStore(pool),
    bundling,
    messages: new MessageReader(bundling, views),
    addresses: new AddressBook(views, keyring),
    // What was sent is recorded however far reads are behind.
    record: new NotificationRecord(new Handling(store, { check: () => undefined })),
    outside: openOutside({ ...parts, config, mailer: mailerOf(config.smtpUrl, config.mailFrom) }),
    views,
    wake,
    clock: systemClock,
    random: Math.random,
    report: reporting(logger, 'a message could not be sent'),
  });
  return [
    new LeasedLoop({
      name: 'notifier',
      leases,
      work: (signal) => notifier.work(signal),
      report: reporting(logger, 'the notifier stopped'),
    }),
    new LeasedLoop({ name: 'sender', leases, work: (signal) => sender.work(signal), report: reporting(logger, 'the sender stopped') }),
  ];
}

const reporting =
  (logger: Logger, what: string) =>
  (error: unknown): void => {
    logger.warn({ err: error }, `${what}; trying again`);
  };
