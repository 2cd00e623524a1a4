import type pg from 'pg';
import { NOTIFICATIONS } from '../../platform/outbox/delivery-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Tracer } from '../../kernel/tracer.ts';
import { type ConsumerStore, type RetryPolicy } from '../../platform/consumers/consumer-store.ts';
import { TransactionalConsumer } from '../../platform/consumers/transactional-consumer.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import { effectIn } from './alert-effect.ts';
import { AudienceLookup } from './audience.ts';
import { EffectHandler } from './effect-handler.ts';
import { SECOND_MS } from '../../kernel/time.ts';

/** The name of its consumer and its lease. */
export const NOTIFIER = 'alerts';

export interface NotificationProcessParts {
  readonly pool: pg.Pool;
  readonly consumers: ConsumerStore;
  readonly log: Pick<Log, 'read' | 'head'>;
  readonly views: ViewsAt;
  readonly wake: Pick<Wake, 'ring' | 'bell'>;
  readonly clock: Clock;
  readonly mailIsConfigured: boolean;
  readonly onParked?: (event: LogEvent, error: unknown) => void;
  readonly tracer?: Tracer;
  readonly retry?: RetryPolicy;
}

/** Until an operator has retried or skipped what parks a read model; soon afterwards the alerts go out. */
const RETRY: RetryPolicy = { firstMs: SECOND_MS, factor: 2, mostMs: 5 * SECOND_MS, forMs: null };

/**
 * The process manager of alerts: follows the log and writes intents into the transactional outbox, in one transaction with its checkpoint.
 * An event whose recipients cannot be read becomes a dead letter, and so does every later event of its scope; other scopes go on.
 */
export function notificationProcess(parts: NotificationProcessParts): TransactionalConsumer {
  const { views, clock, wake } = parts;
  return new TransactionalConsumer({
    ...parts,
    name: NOTIFIER,
    about: 'alerts and notices to people',
    span: 'notify',
    store: parts.consumers,
    retry: parts.retry ?? RETRY,
    wants: (event) => effectIn(event) !== null,
    begin: (_, client) => {
      const handler = new EffectHandler(client, new AudienceLookup(views.now(), parts), clock);
      return Promise.resolve(async (event) => {
        const effect = effectIn(event);
        if (effect === 'unreadable') throw new Error(`${event.type} cannot be read`);
        if (effect !== null) await handler.apply(event, effect);
      });
    },
    onCommitted: () => {
      wake.ring(NOTIFICATIONS);
    },
  });
}
