import type pg from 'pg';
import { incidentChannels } from '../channels/channel-table.ts';
import { addNotice } from '../../accounts/notices/notice.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { ReportPlan } from '../reports/report-plan.ts';
import type { AlertEffect } from './alert-effect.ts';
import { type Addressee, AlertOutbox } from './alert-outbox.ts';
import { acceptsSeverity, type Audience, type AudienceLookup } from './audience.ts';
import { MINUTE_MS } from '../../kernel/time.ts';

const NONE: ReadonlySet<string> = new Set();

type Alert = Extract<AlertEffect, { kind: 'problem' | 'changed' }>;

/** Applies alert effects to the outbox and the report schedule, within the transaction that moves the checkpoint. */
export class EffectHandler {
  private readonly outbox: AlertOutbox;
  private readonly plan: ReportPlan;

  constructor(
    private readonly client: pg.ClientBase,
    private readonly audience: AudienceLookup,
    private readonly clock: Clock,
  ) {
    this.outbox = new AlertOutbox(client);
    this.plan = new ReportPlan(client);
  }

  /** Rejects, with nothing written, when the recipients cannot be read because a read model is parked. */
  async apply(event: LogEvent, effect: AlertEffect): Promise<void> {
    const { outbox, plan } = this;
    const now = this.clock.now();
    switch (effect.kind) {
      case 'problem':
      case 'changed':
        return this.alert(event, effect);
      case 'recovery': {
        const episode = await outbox.openEpisodeOf(effect.subject);
        if (episode === null) return;
        await outbox.addRecovery(event, episode, effect.projectId, effect.facts, now);
        await outbox.closeEpisode(effect.subject);
        return;
      }
      case 'ended':
        for (const subject of effect.subjects) {
          const episode = await outbox.openEpisodeOf(subject);
          if (episode === null) continue;
          await outbox.withdraw(event, { episode }, incidentChannels, now);
          await outbox.closeEpisode(subject);
        }
        return;
      case 'project ended':
        await outbox.withdraw(event, { projectId: effect.projectId }, incidentChannels, now);
        await outbox.closeEpisodesOfProject(effect.projectId);
        return;
      case 'member left':
        await outbox.withdraw(event, { projectId: effect.projectId, userId: effect.userId }, incidentChannels, now);
        return;
      case 'severity changed':
        if (!acceptsSeverity({ severity: effect.to }, 'timeout')) await outbox.cancelTimeouts(effect.projectId, effect.userId);
        return;
      case 'delay changed':
        await outbox.changeDelay(effect.userId, effect.minutes);
        return;
      case 'account ended':
        // The account's keys and addresses are destroyed, so incidents opened there cannot be closed either.
        await outbox.withdraw(event, { userId: effect.userId }, [], now);
        await plan.forget(effect.userId);
        return;
      case 'notice':
        for (const { userId, notice } of effect.notices)
          if (await this.audience.hasConfirmedMail(userId))
            await addNotice(this.client, { id: event.id, n: event.n, correlationId: event.meta.correlationId }, userId, notice, now);
        return;
      case 'reports changed':
        await plan.scheduleReview(effect.userId, event.n, now);
        return;
    }
  }

  private async alert(event: LogEvent, effect: Alert): Promise<void> {
    const { outbox } = this;
    const known = effect.kind === 'changed' || effect.continues === true ? await outbox.openEpisodeOf(effect.subject) : null;
    if (effect.kind === 'changed' && known === null) return;
    const addressees = addresseesOf(event, effect, await this.audience.load(effect.projectId));
    const episode = known ?? (await outbox.openEpisode(effect.subject, effect.projectId, event));
    if (known !== null) await outbox.updateWaiting(known, effect.facts, addressees);
    const notified = known === null ? NONE : await outbox.notifiedOf(known);
    const others = addressees.filter(({ userId, channel }) => !notified.has(`${String(userId)} ${channel}`));
    await outbox.addProblem(event, episode, effect.projectId, effect.facts, others, this.clock.now());
  }
}

function addresseesOf(event: LogEvent, { facts }: Alert, { recipients, notBefore }: Audience): readonly Addressee[] {
  // The checker's clock may be ahead; the log's is the one that all instances share.
  const since = Math.min(Date.parse(facts.since), Date.parse(event.recordedAt));
  return recipients
    .filter((recipient) => acceptsSeverity(recipient, facts.status))
    .map((recipient) => ({ ...recipient, dueAt: Math.max(since + recipient.delay * MINUTE_MS, notBefore) }));
}
