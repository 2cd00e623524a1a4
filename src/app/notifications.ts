import type { Logger } from 'pino';
import { mailerOf } from '../delivery/mail/smtp-mailer.ts';
import { Handling } from '../commands/handle.ts';
import type { Config } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { PostgresSamples } from '../observations/samples/postgres-samples.ts';
import { LeasedLoop } from '../projections/engine/leased-loop.ts';
import { openOutside } from '../delivery/channels/outside.ts';
import { openNotifying } from '../processes/notifications/notifying.ts';
import type { Parts } from './parts.ts';

/** One over all instances writes down who is to be told, one who is to get a report, one carries both to them. */
export function notificationLoops(config: Config, parts: Parts): readonly LeasedLoop[] {
  const { leases, logger, seal, store } = parts;
  const { notifier, planner, sender } = openNotifying({
    ...parts,
    samples: new PostgresSamples(parts.pool),
    handling: new Handling(store, { check: () => undefined }),
    outside: openOutside({ ...parts, config, mailer: mailerOf(config.smtpUrl, config.mailFrom) }),
    mailIsOn: config.smtpUrl !== undefined,
    checkpoint: () => seal.ledger.checkpoint(),
    clock: systemClock,
    random: Math.random,
    report: reporting(logger, 'a message could not be sent'),
  });
  const loop = (name: string, work: (signal: AbortSignal) => Promise<void>): LeasedLoop =>
    new LeasedLoop({ name, leases, work, report: reporting(logger, `the ${name} stopped`) });
  return [
    loop('notifier', (signal) => notifier.work(signal)),
    loop('reports', (signal) => planner.work(signal)),
    loop('sender', (signal) => sender.work(signal)),
  ];
}

const reporting =
  (logger: Logger, what: string) =>
  (error: unknown): void => {
    logger.warn({ err: error }, `${what}; trying again`);
  };
