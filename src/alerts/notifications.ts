import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import { ClosedBooks } from '../platform/observations/closed-days/closed-books.ts';
import { PostgresSamples } from '../platform/observations/samples/postgres-samples.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import { openTransports } from './channels/transports.ts';
import { openNotificationPipeline } from './notification-pipeline.ts';
import type { Parts } from '../app/parts.ts';

/** The notification pipeline; each of its parts runs in one instance at a time, under a leader lease. */
export function notificationLoops(config: Config, parts: Parts): readonly LeasedLoop[] {
  const { leases, logger, seal } = parts;
  const { notifications, reports, delivery } = openNotificationPipeline({
    ...parts,
    samples: new PostgresSamples(parts.observationPool),
    books: new ClosedBooks(parts.observationPool),
    transports: openTransports({ ...parts, config }),
    publicUrl: config.publicUrl,
    mailIsConfigured: config.smtpUrl !== undefined,
    checkpoint: () => seal.ledger.checkpoint(),
    clock: systemClock,
    random: Math.random,
    report: reporting(logger, 'message could not be sent'),
  });
  const loop = (name: string, work: (signal: AbortSignal) => Promise<void>): LeasedLoop =>
    new LeasedLoop({ name, leases, work, report: reporting(logger, `the ${name} stopped`) });
  return [
    loop('notifier', (signal) => notifications.work(signal)),
    loop('reports', (signal) => reports.work(signal)),
    loop('sender', (signal) => delivery.work(signal)),
  ];
}

const reporting =
  (logger: Logger, what: string) =>
  (error: unknown): void => {
    logger.warn({ err: error }, `${what}; trying again`);
  };
