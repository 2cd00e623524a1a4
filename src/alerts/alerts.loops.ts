import { ConsoleAddresses } from '../accounts/sessions/console-addresses.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { type LoopParts, reportParked, reportRetry } from '../platform/consumers/consumer-loops.ts';
import { ConsumerStore } from '../platform/consumers/consumer-store.ts';
import { ClosedBooks } from '../platform/observations/closed-days/closed-books.ts';
import { SampleStore } from '../platform/observations/samples/sample-store.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import type { Transports } from './channels/channel.ts';
import { TRANSPORTS } from './channels/transports.ts';
import { type NotificationPipelineParts, openNotificationPipeline } from './notification-pipeline.ts';
import { NOTIFIER } from './process/notification-process.ts';

type AlertLoopParts = LoopParts &
  Pick<NotificationPipelineParts, 'pool' | 'runner' | 'log' | 'views' | 'wake' | 'keyring' | 'tracer' | 'checkpoint'>;

/** The notification pipeline; each of its parts runs in one instance at a time, under a leader lease. */
export function alertLoops(config: Config, parts: AlertLoopParts): readonly LeasedLoop[] {
  const { leases, logger } = parts;
  const { notifications, reports, delivery } = openNotificationPipeline({
    ...parts,
    consumers: parts.get(ConsumerStore),
    samples: parts.get(SampleStore),
    books: parts.get(ClosedBooks),
    transports: parts.get<Transports>(TRANSPORTS),
    consoleOf: (userId) => parts.get(ConsoleAddresses).of(userId),
    mailIsConfigured: config.smtpUrl !== undefined,
    clock: systemClock,
    random: Math.random,
    onParked: reportParked(NOTIFIER, logger),
    report: reportRetry(logger, 'message could not be sent'),
  });
  const loop = (name: string, work: (signal: AbortSignal) => Promise<void>): LeasedLoop =>
    new LeasedLoop({ name, leases, work, report: reportRetry(logger, `the ${name} stopped`) });
  return [
    loop(NOTIFIER, (signal) => notifications.work(signal)),
    loop('reports', (signal) => reports.work(signal)),
    loop('sender', (signal) => delivery.work(signal)),
  ];
}
