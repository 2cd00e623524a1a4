import type pg from 'pg';
import type { LogEvent } from '../../kernel/event.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { DueRetry } from './consumer-store.ts';
import { type ApplyEvent, isNoFaultOfEvent, LogConsumer, type LogConsumerOptions } from './log-consumer.ts';

export interface TransactionalConsumerOptions extends LogConsumerOptions {
  readonly pool: pg.Pool;
  /** Prepares what the events of a batch share. */
  readonly begin: (events: readonly LogEvent[], client: pg.PoolClient) => Promise<ApplyEvent>;
  /** What events led to is committed. */
  readonly onCommitted: () => void;
}

interface Failure {
  readonly event: LogEvent;
  readonly error: unknown;
}

/** What the events of a page lead to is committed in one transaction with the checkpoint: exactly once. */
export class TransactionalConsumer extends LogConsumer {
  protected readonly page = 500;
  protected readonly retries = 100;

  constructor(protected override readonly options: TransactionalConsumerOptions) {
    super(options);
  }

  protected async handleWanted(events: readonly LogEvent[], last: LogEvent): Promise<void> {
    try {
      await this.commit(events, last, false);
    } catch (error) {
      if (isNoFaultOfEvent(error)) throw error;
      // One event cannot be handled: each once more behind a savepoint, to find out which.
      await this.commit(events, last, true);
    }
    this.options.onCommitted();
  }

  protected async retryAll(due: readonly DueRetry[], signal: AbortSignal): Promise<void> {
    for (const one of due) if (!signal.aborted) await this.retry(one);
  }

  private async commit(events: readonly LogEvent[], last: LogEvent, isEachAlone: boolean): Promise<void> {
    const { pool, store, name, begin } = this.options;
    const parked = new Set(this.parked);
    const failures: Failure[] = [];
    await inTransaction(pool, async (client) => {
      await store.move(name, this.stored, last, client);
      const passed = new Map<string, number>();
      const apply = await begin(events, client);
      for (const event of events) {
        if (parked.has(event.scope)) passed.set(event.scope, (passed.get(event.scope) ?? 0) + 1);
        else if (!isEachAlone) await apply(event);
        else {
          const failure = await failureOf(event, apply, client);
          if (failure === null) continue;
          parked.add(event.scope);
          failures.push(failure);
          await store.park(name, last.n, failure, this.options.retry, client);
        }
      }
      await store.countWaiting(name, passed, client);
    });
    this.parked = parked;
    for (const { event, error } of failures) this.options.onParked?.(event, error);
  }

  /** One transaction: what the first events led to is kept when a later one fails. */
  private async retry(due: DueRetry): Promise<void> {
    const { pool, store, name, begin, onCommitted } = this.options;
    const isReleased = await inTransaction(pool, async (client) => {
      await store.lock(name, this.stored, client);
      let handled = 0;
      for await (const events of this.waitingEvents(due, this.at)) {
        const apply = await begin(events, client);
        for (const event of events) {
          const failure = await failureOf(event, apply, client);
          if (failure !== null) {
            await store.park(name, this.stored, { ...failure, handled }, this.options.retry, client);
            return false;
          }
          handled++;
        }
      }
      await store.release(name, this.stored, due.scope, client);
      return true;
    });
    if (isReleased) this.parked = new Set([...this.parked].filter((scope) => scope !== due.scope));
    onCommitted();
  }
}

/** Applies an event behind a savepoint. Null when it succeeded. */
async function failureOf(event: LogEvent, apply: ApplyEvent, client: pg.PoolClient): Promise<Failure | null> {
  await client.query('SAVEPOINT event');
  try {
    await apply(event);
  } catch (error) {
    if (isNoFaultOfEvent(error)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT event; RELEASE SAVEPOINT event');
    return { event, error };
  }
  await client.query('RELEASE SAVEPOINT event');
  return null;
}
