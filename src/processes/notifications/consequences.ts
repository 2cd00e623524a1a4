import type pg from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { staysOpen } from '../../delivery/channels/channel-table.ts';
import { ReportPlan } from '../reports/report-plan.ts';
import { unlessParked } from '../../projections/views/views.ts';
import { wants } from './audience.ts';
import type { Audience, Audiences } from './audiences.ts';
import { type Addressee, Intents } from './intents.ts';
import type { Turn } from './turn.ts';

const MINUTE = 60_000;
const NOBODY: ReadonlySet<string> = new Set();

type Telling = Extract<Turn, { kind: 'problem' | 'changed' }>;

/** What follows from a turn, in the transaction of the one who follows the log. */
export class Consequences {
  private readonly intents: Intents;
  private readonly plan: ReportPlan;

  constructor(
    client: pg.ClientBase,
    private readonly audiences: Audiences,
    private readonly clock: Clock,
  ) {
    this.intents = new Intents(client);
    this.plan = new ReportPlan(client);
  }

  /** False, and nothing was written: who is to be told cannot be read at the moment. */
  async take(event: LogEvent, turn: Turn): Promise<boolean> {
    const { intents, plan } = this;
    const now = this.clock.now();
    switch (turn.kind) {
      case 'problem':
      case 'changed':
        return this.tell(event, turn);
      case 'recovery': {
        const episode = await intents.episodeOf(turn.subject);
        if (episode === null) return true;
        await intents.recover(event, episode, turn.projectId, turn.facts, now);
        await intents.close(turn.subject);
        return true;
      }
      case 'ended':
        for (const subject of turn.subjects) {
          const episode = await intents.episodeOf(subject);
          if (episode === null) continue;
          await intents.withdraw(event, { episode }, staysOpen, now);
          await intents.close(subject);
        }
        return true;
      case 'project ended':
        await intents.withdraw(event, { projectId: turn.projectId }, staysOpen, now);
        await intents.closeAll(turn.projectId);
        return true;
      case 'member left':
        await intents.withdraw(event, { projectId: turn.projectId, userId: turn.userId }, staysOpen, now);
        return true;
      case 'severity changed':
        if (!wants({ severity: turn.to }, 'timeout')) await intents.spareTimeouts(turn.projectId, turn.userId);
        return true;
      case 'delay changed':
        await intents.delay(turn.userId, turn.minutes);
        return true;
      case 'account ended':
        // Its keys and addresses are gone: nothing can be sent there any more.
        await intents.withdraw(event, { userId: turn.userId }, [], now);
        await plan.forget(turn.userId);
        return true;
      case 'reports changed':
        await plan.lookAgain(turn.userId, event.n, now);
        return true;
    }
  }

  private async tell(event: LogEvent, turn: Telling): Promise<boolean> {
    const { intents } = this;
    const known = turn.kind === 'changed' || turn.goesOn === true ? await intents.episodeOf(turn.subject) : null;
    if (turn.kind === 'changed' && known === null) return true;
    const audience = await unlessParked(this.audiences.of(turn.projectId));
    if (audience === 'parked') return false;
    const addressees = addresseesOf(event, turn, audience);
    const episode = known ?? (await intents.open(turn.subject, turn.projectId, event));
    if (known !== null) await intents.renew(known, turn.facts, addressees);
    const told = known === null ? NOBODY : await intents.told(known);
    const others = addressees.filter(({ userId, channel }) => !told.has(`${String(userId)} ${channel}`));
    await intents.add(event, episode, turn.projectId, turn.facts, others, this.clock.now());
    return true;
  }
}

function addresseesOf(event: LogEvent, { facts }: Telling, { recipients, from }: Audience): readonly Addressee[] {
  // Whoever saw it may have had a clock that is ahead; the log's is the one that all share.
  const since = Math.min(Date.parse(facts.since), Date.parse(event.recordedAt));
  return recipients.filter((one) => wants(one, facts.status)).map((one) => ({ ...one, dueAt: Math.max(since + one.delay * MINUTE, from) }));
}
