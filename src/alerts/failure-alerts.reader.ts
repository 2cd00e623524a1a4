import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { LogEvent } from '../kernel/event.ts';
import { projectIdOf } from '../kernel/stream-names.ts';
import { type Config, CONFIG } from '../platform/config/config.ts';
import { unlessParked, ViewsAt } from '../platform/read-models/views/views.ts';
import { acceptsSeverity, AudienceLookup } from './process/audience.ts';

/** What became of the alerts about one failure, in messages. */
export interface FailureAlerts {
  readonly delivered: number;
  readonly underWay: number;
  readonly givenUp: number;
  /** When the last of them was delivered. */
  readonly deliveredAt: Date | null;
  /** When the first of those that wait is due. */
  readonly dueAt: Date | null;
  /** The members who are to be alerted of such a failure; null while that cannot be read. */
  readonly recipients: number | null;
}

/** An episode has the id of the event that opened it; a failure that continues another one only causes intents. */
const COUNTS = `
  SELECT count(DISTINCT m.id) FILTER (WHERE m.finished_at <= $2 AND m.state = 'delivered')::int AS delivered,
    count(DISTINCT m.id) FILTER (WHERE m.finished_at <= $2 AND m.state = 'failed')::int AS "givenUp",
    count(DISTINCT m.id) FILTER (WHERE m.finished_at IS NULL OR m.finished_at > $2)::int AS "underWay",
    max(m.finished_at) FILTER (WHERE m.finished_at <= $2 AND m.state = 'delivered') AS "deliveredAt",
    min(i.due_at) FILTER (WHERE m.id IS NULL) AS "dueAt"
  FROM notification_intent i LEFT JOIN notification_message m ON m.id = i.message_id AND m.created_at <= $2
  WHERE (i.episode = $1 OR i.cause_id = $1) AND i.kind = 'problem' AND i.state <> 'cancelled' AND coalesce(i.made_at, i.due_at) <= $2`;

/** Whether people know of a failure, from the outbox: by its own alerts, not by those of other failures of the same run. */
@Injectable()
export class FailureAlertsReader {
  constructor(
    private readonly pool: pg.Pool,
    private readonly views: ViewsAt,
    @Inject(CONFIG) private readonly config: Pick<Config, 'smtpUrl'>,
  ) {}

  /** `began`: the event by which the failure began. `at`: as of then. */
  async of(began: Pick<LogEvent, 'id' | 'scope'>, status: 'error' | 'timeout', at: number): Promise<FailureAlerts> {
    const parts = { clock: { now: () => at }, mailIsConfigured: this.config.smtpUrl !== undefined };
    const [{ rows }, audience] = await Promise.all([
      this.pool.query<Omit<FailureAlerts, 'recipients'>>(COUNTS, [began.id, new Date(at)]),
      unlessParked(new AudienceLookup(this.views.now(), parts).load(projectIdOf(began.scope))),
    ]);
    const [counts = { delivered: 0, underWay: 0, givenUp: 0, deliveredAt: null, dueAt: null }] = rows;
    if (audience === 'parked') return { ...counts, recipients: null };
    const recipients = audience.recipients.filter((recipient) => acceptsSeverity(recipient, status));
    return { ...counts, recipients: new Set(recipients.map(({ userId }) => userId)).size };
  }
}
