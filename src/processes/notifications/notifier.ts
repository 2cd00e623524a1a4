import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { NOTIFICATIONS } from '../../delivery/outbox/delivery-store.ts';
import { SetAside } from '../../delivery/outbox/set-aside.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { inTransaction } from '../../persistence/transaction.ts';
import { Audiences } from './audiences.ts';
import { Consequences } from './consequences.ts';
import { Latecomers } from './latecomers.ts';
import type { NotifierParts } from './notifier-parts.ts';
import { type Turn, turnIn } from './turn.ts';

/** Where nothing had to be told, the place in the log may be a little old: going through it again does nothing. */
const SAVE_EVERY = 5_000;
/** How soon it is seen that what could not be read can be. */
const AGAIN_MS = 1_000;

interface Found {
  readonly event: LogEvent;
  readonly turn: Turn | 'unreadable';
}

/**
 * Follows the log and turns what happened into what somebody is to be told; the place in the log moves in the same transaction. What cannot be told of
 * yet is set aside with all that comes after it in its scope: everybody else is told as ever.
 */
export class Notifier {
  private saved = -1;
  private readonly latecomers: Latecomers;

  constructor(private readonly parts: NotifierParts) {
    this.latecomers = new Latecomers(parts);
  }

  async work(signal: AbortSignal): Promise<void> {
    await this.begin();
    const over = new AbortController();
    const working = AbortSignal.any([signal, over.signal]);
    const lookingAgain = this.keepLookingAgain(working).finally(() => {
      over.abort();
    });
    // Heard of below: until then nobody has to.
    lookingAgain.catch(() => undefined);
    try {
      for await (const batch of this.parts.log.follow(this.saved, working)) {
        if (working.aborted) break;
        await this.take(batch);
      }
    } finally {
      over.abort();
      await lookingAgain;
    }
  }

  /** A new reactor begins at now: what happened before is nobody's news. */
  async begin(): Promise<void> {
    const { pool, log } = this.parts;
    await pool.query('INSERT INTO notifier_checkpoint (n) VALUES ($1) ON CONFLICT DO NOTHING', [await log.head()]);
    const { rows } = await pool.query<{ n: string }>('SELECT n FROM notifier_checkpoint');
    this.saved = Number(rows[0]?.n ?? -1);
    this.latecomers.expect();
  }

  /** In one transaction, or not at all. */
  async take(batch: readonly LogEvent[]): Promise<void> {
    const last = batch.at(-1)?.n ?? this.saved;
    const found = batch.flatMap((event): readonly Found[] => {
      const turn = turnIn(event);
      return turn === null ? [] : [{ event, turn }];
    });
    if (found.length === 0 && last - this.saved < SAVE_EVERY) return;
    await inTransaction(this.parts.pool, async (client) => {
      const { rowCount } = await client.query('UPDATE notifier_checkpoint SET n = $1 WHERE n = $2', [last, this.saved]);
      // Somebody else has gone on from here: what was seen is theirs to tell.
      if (rowCount !== 1) throw new Error('another notifier has moved the place in the log');
      if (found.length > 0) await this.tell(client, found);
    });
    this.saved = last;
    // Not before it is written: who looks between the two finds nothing, and looks no more.
    this.latecomers.expect();
    if (found.length > 0) this.parts.wake.ring(NOTIFICATIONS);
  }

  /** What was set aside, as far as it can be told of by now. */
  lookAgain(): Promise<void> {
    return this.latecomers.look();
  }

  private async tell(client: pg.PoolClient, found: readonly Found[]): Promise<void> {
    const { views, clock } = this.parts;
    const consequences = new Consequences(client, new Audiences(views.now(), this.parts), clock);
    const setAside = new SetAside(client);
    const waiting = new Set(await setAside.scopes());
    const late: LogEvent[] = [];
    for (const { event, turn } of found) {
      if (!waiting.has(event.scope) && turn !== 'unreadable' && (await consequences.take(event, turn))) continue;
      waiting.add(event.scope);
      late.push(event);
    }
    if (late.length > 0) await setAside.add(late);
  }

  private async keepLookingAgain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.lookAgain();
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
