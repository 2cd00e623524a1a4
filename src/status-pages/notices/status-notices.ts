import type pg from 'pg';
import { STATUS_NOTICES } from '../subscribers/status-outbox.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import { ProcessCheckpoint } from '../../platform/consumers/process-checkpoint.ts';
import { viewsContaining } from '../../platform/read-models/views-containing.ts';
import { type NoticeEffect, noticeEffectOf } from './notice-effect.ts';
import { NoticeWriter } from './notice-writer.ts';

export interface StatusNoticesParts {
  readonly pool: pg.Pool;
  readonly log: Pick<Log, 'follow' | 'head'>;
  readonly views: Pick<ViewsAt, 'now'>;
  readonly wake: Pick<Wake, 'ring'>;
  readonly clock: Clock;
}

const NAME = 'status notices';
/** Events without an effect move the checkpoint only this often: reading them again is harmless. */
const CHECKPOINT_EVERY = 5_000;

/**
 * The process manager of subscribers: follows the log, and writes what the subscribers of status pages have to hear of into their outbox, in one
 * transaction with its checkpoint.
 */
export class StatusNotices {
  private readonly checkpoint: ProcessCheckpoint;

  constructor(private readonly parts: StatusNoticesParts) {
    this.checkpoint = new ProcessCheckpoint(parts.pool, NAME);
  }

  async work(signal: AbortSignal): Promise<void> {
    await this.loadCheckpoint();
    for await (const batch of this.parts.log.follow(this.checkpoint.n, signal)) {
      if (signal.aborted) break;
      await this.handle(batch);
    }
  }

  loadCheckpoint(): Promise<void> {
    return this.checkpoint.load(this.parts.log);
  }

  async handle(batch: readonly LogEvent[]): Promise<void> {
    const { pool, views, clock, wake } = this.parts;
    const last = batch.at(-1)?.n ?? this.checkpoint.n;
    const found = batch.flatMap((event): readonly { event: LogEvent; effect: NoticeEffect }[] => {
      const effect = noticeEffectOf(event);
      return effect === null ? [] : [{ event, effect }];
    });
    if (found.length === 0 && last - this.checkpoint.n < CHECKPOINT_EVERY) return;
    const known = found.length === 0 ? views.now() : await viewsContaining(views, last);
    await inTransaction(pool, async (client) => {
      await this.checkpoint.move(last, client);
      const writer = new NoticeWriter(client, known, clock);
      for (const { event, effect } of found) await writer.apply(event, effect);
    });
    this.checkpoint.moved(last);
    if (found.length > 0) wake.ring(STATUS_NOTICES);
  }
}
