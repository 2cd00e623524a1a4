import { NOTIFICATIONS } from '../../delivery/outbox/delivery-store.ts';
import { type Line, SetAside } from '../../delivery/outbox/set-aside.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { inTransaction } from '../../persistence/transaction.ts';
import { VoidedEvents } from '../../projections/engine/voided.ts';
import { unlessParked } from '../../projections/views/views.ts';
import { Audiences } from './audiences.ts';
import { Consequences } from './consequences.ts';
import type { NotifierParts } from './notifier-parts.ts';
import { turnIn } from './turn.ts';

/** So many scopes are looked at together, in turn: however many are parked, those that are well again get on. */
const SCOPES_AT_ONCE = 100;
const EVENTS_AT_ONCE = 500;

/** Takes up what the notifier set aside: an operator has retried or skipped what stood in the way. */
export class Latecomers {
  private readonly voided: VoidedEvents;
  /** Nobody is asked while nothing waits. */
  private areExpected = false;
  private after = '';

  constructor(private readonly parts: NotifierParts) {
    this.voided = new VoidedEvents(parts.log);
  }

  expect(): void {
    this.areExpected = true;
  }

  async look(): Promise<void> {
    if (!this.areExpected) return;
    // Before it is asked: what is set aside meanwhile sets it again.
    this.areExpected = false;
    const lines = await new SetAside(this.parts.pool).lines(this.after, SCOPES_AT_ONCE);
    this.areExpected ||= lines.length > 0 || this.after !== '';
    this.after = lines.length < SCOPES_AT_ONCE ? '' : (lines.at(-1)?.scope ?? '');
    if (lines.length === 0) return;
    await this.voided.refresh();
    const audiences = new Audiences(this.parts.views.now(), this.parts);
    const ready = await Promise.all(lines.map((line) => this.isReady(line, audiences)));
    for (const { scope } of lines.filter((_, place) => ready[place])) await this.catchUp(scope);
  }

  /** Looked at without holding up who follows the log: most of what waits goes on waiting. */
  private async isReady({ n }: Line, audiences: Audiences): Promise<boolean> {
    const event = await this.at(n);
    const turn = event === undefined || this.voided.has(n) ? null : turnIn(event);
    if (turn === 'unreadable') return false;
    if (turn?.kind !== 'problem' && turn?.kind !== 'changed') return true;
    return (await unlessParked(audiences.of(turn.projectId))) !== 'parked';
  }

  /** In the order of the log, up to the first that still cannot be told of. */
  private async catchUp(scope: string): Promise<void> {
    const { pool, views, clock, wake } = this.parts;
    await inTransaction(pool, async (client) => {
      // Not beside who follows the log: whatever comes next of this scope finds either all that waits, or nothing.
      await client.query('SELECT FROM notifier_checkpoint FOR UPDATE');
      const setAside = new SetAside(client);
      const consequences = new Consequences(client, new Audiences(views.now(), this.parts), clock);
      const taken: number[] = [];
      for (const n of await setAside.of(scope, EVENTS_AT_ONCE)) {
        const event = await this.at(n);
        const turn = event === undefined || this.voided.has(n) ? null : turnIn(event);
        if (turn === 'unreadable') break;
        if (event !== undefined && turn !== null && !(await consequences.take(event, turn))) break;
        taken.push(n);
      }
      await setAside.taken(taken);
    });
    wake.ring(NOTIFICATIONS);
  }

  private async at(n: number): Promise<LogEvent | undefined> {
    const [event] = await this.parts.log.read({ after: n - 1, until: n, limit: 1 });
    return event;
  }
}
