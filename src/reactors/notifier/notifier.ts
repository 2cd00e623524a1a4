import type pg from 'pg';
import { NOTIFICATIONS } from '../../base/notifications/delivery-store.ts';
import type { Wake } from '../../base/wake.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import { inTransaction } from '../../base/transaction.ts';
import type { Views, ViewsAt } from '../../projections/kit/views.ts';
import { audienceOf, maintenanceEnd, type Recipient, wants } from './audience.ts';
import { type Addressee, Intents } from './intents.ts';
import { staysOpen } from '../channels/channel-table.ts';
import { ReportPlan } from '../reports/report-plan.ts';
import { type Turn, turnOf } from './turn.ts';

export interface NotifierParts {
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly views: ViewsAt;
  readonly wake: Pick<Wake, 'ring'>;
  readonly clock: Clock;
  /** There is a mail server. */
  readonly mailIsOn: boolean;
}

type Telling = Extract<Turn, { kind: 'problem' | 'changed' | 'recovery' }>;

const MINUTE = 60_000;
/** Where nothing had to be told, the place in the log may be a little old: going through it again does nothing. */
const SAVE_EVERY = 5_000;

/** Follows the log and turns what happened into what somebody is to be told; the place in the log moves in the same transaction. */
export class Notifier {
  private saved = -1;

  constructor(private readonly parts: NotifierParts) {}

  async work(signal: AbortSignal): Promise<void> {
    await this.begin();
    for await (const batch of this.parts.log.follow(this.saved, signal)) {
      if (signal.aborted) return;
      await this.take(batch);
    }
  }

  /** A new reactor begins at now: what happened before is nobody's news. */
  async begin(): Promise<void> {
    const { pool, log } = this.parts;
    await pool.query('INSERT INTO notifier_checkpoint (n) VALUES ($1) ON CONFLICT DO NOTHING', [await log.head()]);
    const { rows } = await pool.query<{ n: string }>('SELECT n FROM notifier_checkpoint');
    this.saved = Number(rows[0]?.n ?? -1);
  }

  /** In one transaction, or not at all. */
  async take(batch: readonly LogEvent[]): Promise<void> {
    const last = batch.at(-1)?.n ?? this.saved;
    const turns = batch.flatMap((event) => {
      const turn = turnOf(event);
      return turn === null ? [] : [{ event, turn }];
    });
    if (turns.length === 0 && last - this.saved < SAVE_EVERY) return;
    await inTransaction(this.parts.pool, async (client) => {
      const { rowCount } = await client.query('UPDATE notifier_checkpoint SET n = $1 WHERE n = $2', [last, this.saved]);
      // Somebody else has gone on from here: what was seen is theirs to tell.
      if (rowCount !== 1) throw new Error('another notifier has moved the place in the log');
      const audiences = new Audiences(this.parts.views.now(), this.parts);
      const [intents, plan] = [new Intents(client), new ReportPlan(client)];
      for (const { event, turn } of turns) await this.turn(intents, plan, event, turn, audiences);
    });
    this.saved = last;
    if (turns.length > 0) this.parts.wake.ring(NOTIFICATIONS);
  }

  private async turn(intents: Intents, plan: ReportPlan, event: LogEvent, turn: Turn, audiences: Audiences): Promise<void> {
    const now = this.parts.clock.now();
    switch (turn.kind) {
      case 'problem':
        await tell(
          intents,
          event,
          turn,
          await audiences.of(turn.projectId),
          await intents.open(turn.subject, turn.projectId, event),
          new Set(),
        );
        return;
      case 'changed': {
        const episode = await intents.episodeOf(turn.subject);
        if (episode !== null) await tell(intents, event, turn, await audiences.of(turn.projectId), episode, await intents.told(episode));
        return;
      }
      case 'recovery': {
        const episode = await intents.episodeOf(turn.subject);
        if (episode === null) return;
        await intents.recover(event, episode, turn.projectId, turn.facts, now);
        await intents.close(turn.subject);
        return;
      }
      case 'ended':
        for (const subject of turn.subjects) {
          const episode = await intents.episodeOf(subject);
          if (episode === null) continue;
          await intents.withdraw(event, { episode }, staysOpen, now);
          await intents.close(subject);
        }
        return;
      case 'project ended':
        await intents.withdraw(event, { projectId: turn.projectId }, staysOpen, now);
        await intents.closeAll(turn.projectId);
        return;
      case 'member left':
        await intents.withdraw(event, { projectId: turn.projectId, userId: turn.userId }, staysOpen, now);
        return;
      case 'account ended':
        // Its keys and addresses are gone: nothing can be sent there any more.
        await intents.withdraw(event, { userId: turn.userId }, [], now);
        await plan.forget(turn.userId);
        return;
      case 'reports changed':
        await plan.lookAgain(turn.userId, event.n, now);
    }
  }
}

async function tell(
  intents: Intents,
  event: LogEvent,
  { projectId, facts }: Telling,
  { recipients, from }: Audience,
  episode: string,
  told: ReadonlySet<string>,
): Promise<void> {
  // Whoever saw it may have had a clock that is ahead; the log's is the one that all share.
  const since = Math.min(Date.parse(facts.since), Date.parse(event.recordedAt));
  const addressees: readonly Addressee[] = recipients
    .filter((one) => wants(one, facts.status) && !told.has(`${String(one.userId)} ${one.channel}`))
    .map((one) => ({ ...one, dueAt: Math.max(since + one.delay * MINUTE, from) }));
  await intents.add(event, episode, projectId, facts, addressees);
}

interface Audience {
  readonly recipients: readonly Recipient[];
  /** Not before: the end of the maintenance. */
  readonly from: number;
}

/** Looked up once for all events of a batch: a thousand checks of one project may fail together. */
class Audiences {
  private readonly known = new Map<string, Promise<Audience>>();

  constructor(
    private readonly views: Views,
    private readonly parts: Pick<NotifierParts, 'clock' | 'mailIsOn'>,
  ) {}

  of(projectId: string): Promise<Audience> {
    const audience = this.known.get(projectId) ?? this.look(projectId);
    this.known.set(projectId, audience);
    return audience;
  }

  private async look(projectId: string): Promise<Audience> {
    const now = this.parts.clock.now();
    const recipients = await audienceOf(this.views, projectId, this.parts.mailIsOn);
    return { recipients, from: (await maintenanceEnd(this.views, projectId, now)) ?? 0 };
  }
}
