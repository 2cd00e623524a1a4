import type pg from 'pg';
import { NOTIFICATIONS } from '../../platform/outbox/delivery-store.ts';
import { pause } from '../../kernel/abortable.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { startBatch } from '../../kernel/trace-batch.ts';
import { endWith, noTracer } from '../../kernel/tracer.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { type AlertEffect, effectIn } from './alert-effect.ts';
import { AudienceLookup } from './audience.ts';
import { DeadLetterRetry, type NotificationProcessParts } from './dead-letter-retry.ts';
import { DeadLetters } from './dead-letters.ts';
import { EffectHandler } from './effect-handler.ts';

/** Events without an effect move the checkpoint only this often: handling them again is a no-op. */
const CHECKPOINT_EVERY = 5_000;
const DEAD_LETTER_INTERVAL_MS = 1_000;

interface Found {
  readonly event: LogEvent;
  readonly effect: AlertEffect | 'unreadable';
}

/**
 * The process manager of alerts: follows the log and writes intents into the transactional outbox, in one transaction with its checkpoint.
 * An event whose recipients cannot be read becomes a dead letter, and so does every later event of its scope; other scopes go on.
 */
export class NotificationProcess {
  private checkpoint = -1;
  private readonly deadLetterRetry: DeadLetterRetry;

  constructor(private readonly parts: NotificationProcessParts) {
    this.deadLetterRetry = new DeadLetterRetry(parts);
  }

  async work(signal: AbortSignal): Promise<void> {
    await this.loadCheckpoint();
    const ended = new AbortController();
    const working = AbortSignal.any([signal, ended.signal]);
    const retrying = this.retryUntilAborted(working).finally(() => {
      ended.abort();
    });
    // Awaited below; until then a rejection must not count as unhandled.
    retrying.catch(() => undefined);
    try {
      for await (const batch of this.parts.log.follow(this.checkpoint, working)) {
        if (working.aborted) break;
        await this.handle(batch);
      }
    } finally {
      ended.abort();
      await retrying;
    }
  }

  /** A new process manager starts at the head of the log: no alerts are sent for earlier events. */
  async loadCheckpoint(): Promise<void> {
    const { pool, log } = this.parts;
    await pool.query('INSERT INTO notifier_checkpoint (n) VALUES ($1) ON CONFLICT DO NOTHING', [await log.head()]);
    const { rows } = await pool.query<{ n: string }>('SELECT n FROM notifier_checkpoint');
    this.checkpoint = Number(rows[0]?.n ?? -1);
    this.deadLetterRetry.expect();
  }

  /** The effects of the batch and the checkpoint commit together. */
  async handle(batch: readonly LogEvent[]): Promise<void> {
    const last = batch.at(-1)?.n ?? this.checkpoint;
    const found = batch.flatMap((event): readonly Found[] => {
      const effect = effectIn(event);
      return effect === null ? [] : [{ event, effect }];
    });
    if (found.length === 0 && last - this.checkpoint < CHECKPOINT_EVERY) return;
    const causes = found.map(({ event }) => event);
    const span = startBatch(this.parts.tracer ?? noTracer, 'notify', causes);
    const handled = inTransaction(this.parts.pool, async (client) => {
      const { rowCount } = await client.query('UPDATE notifier_checkpoint SET n = $1 WHERE n = $2', [last, this.checkpoint]);
      if (rowCount !== 1) throw new Error('the notification checkpoint was moved by another instance');
      if (found.length > 0) await this.apply(client, found);
    });
    await endWith(span, handled);
    this.checkpoint = last;
    // Only after the commit: a retry in between would find no dead letters and stop looking for them.
    this.deadLetterRetry.expect();
    if (found.length > 0) this.parts.wake.ring(NOTIFICATIONS);
  }

  retryDeadLetters(): Promise<void> {
    return this.deadLetterRetry.run();
  }

  private async apply(client: pg.PoolClient, found: readonly Found[]): Promise<void> {
    const { views, clock } = this.parts;
    const handler = new EffectHandler(client, new AudienceLookup(views.now(), this.parts), clock);
    const deadLetters = new DeadLetters(client);
    const blockedScopes = new Set(await deadLetters.scopes());
    const dead: LogEvent[] = [];
    for (const { event, effect } of found) {
      if (!blockedScopes.has(event.scope) && effect !== 'unreadable' && (await handler.apply(event, effect))) continue;
      blockedScopes.add(event.scope);
      dead.push(event);
    }
    if (dead.length > 0) await deadLetters.add(dead);
  }

  private async retryUntilAborted(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.retryDeadLetters();
      await pause(DEAD_LETTER_INTERVAL_MS, signal);
    }
  }
}
