import type pg from 'pg';
import { NOTIFICATIONS } from '../../platform/outbox/delivery-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Tracer } from '../../kernel/tracer.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import { VoidedEvents } from '../../platform/read-models/engine/voided-events.ts';
import { unlessParked, type ViewsAt } from '../../platform/read-models/views/views.ts';
import { effectIn } from './alert-effect.ts';
import { AudienceLookup } from './audience.ts';
import { type DeadLetter, DeadLetters } from './dead-letters.ts';
import { EffectHandler } from './effect-handler.ts';

export interface NotificationProcessParts {
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly views: ViewsAt;
  readonly wake: Pick<Wake, 'ring'>;
  readonly clock: Clock;
  readonly mailIsConfigured: boolean;
  readonly tracer?: Tracer;
}

/** Scopes are looked at in turn, so that many blocked ones do not starve those that became readable. */
const SCOPE_BATCH = 100;
const EVENT_BATCH = 500;

/** Handles dead letters again, in log order per scope, once an operator has retried or skipped what blocked them. */
export class DeadLetterRetry {
  private readonly voided: VoidedEvents;
  /** Spares the query while there are none. */
  private isExpected = false;
  private after = '';

  constructor(private readonly parts: NotificationProcessParts) {
    this.voided = new VoidedEvents(parts.log);
  }

  expect(): void {
    this.isExpected = true;
  }

  async run(): Promise<void> {
    if (!this.isExpected) return;
    // Reset before the query: a dead letter added during it sets the flag again.
    this.isExpected = false;
    const first = await new DeadLetters(this.parts.pool).firstPerScope(this.after, SCOPE_BATCH);
    this.isExpected ||= first.length > 0 || this.after !== '';
    this.after = first.length < SCOPE_BATCH ? '' : (first.at(-1)?.scope ?? '');
    if (first.length === 0) return;
    await this.voided.refresh();
    const audience = new AudienceLookup(this.parts.views.now(), this.parts);
    const ready = await Promise.all(first.map((letter) => this.isReady(letter, audience)));
    for (const { scope } of first.filter((_, index) => ready[index])) await this.catchUp(scope);
  }

  /** Checked outside the transaction, which would block the process manager: most dead letters stay blocked. */
  private async isReady({ n }: DeadLetter, audience: AudienceLookup): Promise<boolean> {
    const effect = await this.effectAt(n);
    if (effect === 'unreadable') return false;
    if (effect?.kind !== 'problem' && effect?.kind !== 'changed') return true;
    return (await unlessParked(audience.load(effect.projectId))) !== 'parked';
  }

  /** Stops at the first event that is still blocked. */
  private async catchUp(scope: string): Promise<void> {
    const { pool, views, clock, wake } = this.parts;
    await inTransaction(pool, async (client) => {
      // Serializes with the process manager: its next event of this scope finds either every dead letter or none.
      await client.query('SELECT FROM notifier_checkpoint FOR UPDATE');
      const deadLetters = new DeadLetters(client);
      const handler = new EffectHandler(client, new AudienceLookup(views.now(), this.parts), clock);
      const handled: number[] = [];
      for (const n of await deadLetters.ofScope(scope, EVENT_BATCH)) {
        const event = await this.eventAt(n);
        const effect = event === undefined || this.voided.has(n) ? null : effectIn(event);
        if (effect === 'unreadable') break;
        if (event !== undefined && effect !== null && !(await handler.apply(event, effect))) break;
        handled.push(n);
      }
      await deadLetters.remove(handled);
    });
    wake.ring(NOTIFICATIONS);
  }

  private async effectAt(n: number): Promise<ReturnType<typeof effectIn>> {
    const event = await this.eventAt(n);
    return event === undefined || this.voided.has(n) ? null : effectIn(event);
  }

  private async eventAt(n: number): Promise<LogEvent | undefined> {
    const [event] = await this.parts.log.read({ after: n - 1, until: n, limit: 1 });
    return event;
  }
}
