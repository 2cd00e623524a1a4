import type pg from 'pg';
import { STATUS_NOTICES } from '../subscribers/status-outbox.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { type ConsumerStore, RETRY_FOR_THREE_DAYS } from '../../platform/consumers/consumer-store.ts';
import { TransactionalConsumer } from '../../platform/consumers/transactional-consumer.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import { type ViewsAt, viewsContaining } from '../../platform/read-models/views/views.ts';
import { noticeEffectOf } from './notice-effect.ts';
import { NoticeWriter } from './notice-writer.ts';

/** The name of its consumer and its lease. */
export const STATUS_NOTIFIER = 'status-notices';

export interface StatusNoticesParts {
  readonly pool: pg.Pool;
  readonly consumers: ConsumerStore;
  readonly log: Pick<Log, 'read' | 'head'>;
  readonly views: Pick<ViewsAt, 'now'>;
  readonly wake: Pick<Wake, 'ring' | 'bell'>;
  readonly clock: Clock;
  readonly onParked?: (event: LogEvent, error: unknown) => void;
}

/**
 * The process manager of subscribers: follows the log, and writes what the subscribers of status pages have to hear of into their outbox, in one
 * transaction with its checkpoint.
 */
export function statusNotices(parts: StatusNoticesParts): TransactionalConsumer {
  const { views, clock, wake } = parts;
  return new TransactionalConsumer({
    ...parts,
    name: STATUS_NOTIFIER,
    about: 'messages to subscribers of status pages',
    store: parts.consumers,
    retry: RETRY_FOR_THREE_DAYS,
    wants: (event) => noticeEffectOf(event) !== null,
    begin: async (events, client) => {
      const writer = new NoticeWriter(client, await viewsContaining(views, events.at(-1)?.n ?? -1), clock);
      return async (event) => {
        const effect = noticeEffectOf(event);
        if (effect !== null) await writer.apply(event, effect);
      };
    },
    onCommitted: () => {
      wake.ring(STATUS_NOTICES);
    },
  });
}
