import type pg from 'pg';
import { GIVE_UP_MS } from '../../platform/outbox/outbox-relay.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import type { AlertFacts } from '../composing/message.ts';
import type { Notice } from '../../accounts/notices/notice.ts';
import type { ReportSpan } from './outgoing-message.ts';

/** Within this time a channel of a user gets one message of a kind per project; causes in between are bundled into the next. */
const BUNDLE_MS = 60_000;

const BUNDLE = `
  WITH open AS MATERIALIZED (
    -- Row locks serialize with a recovery that cancels intents at this moment.
    SELECT * FROM notification_intent WHERE state = 'waiting' AND due_at <= $1 FOR UPDATE
  ), due AS (
    SELECT i.*, EXISTS (
      SELECT FROM notification_message m
      WHERE m.user_id = i.user_id AND m.channel = i.channel AND m.project_id = i.project_id AND m.kind = i.kind
        AND m.created_at BETWEEN $1::timestamptz - $2::float8 * interval '1 millisecond' AND $1) AS held
    FROM open i
  ), going AS (
    SELECT d.id, d.cause_n, d.user_id, d.channel, d.project_id, d.kind FROM due d
    WHERE NOT d.held AND NOT EXISTS (
      SELECT FROM due o
      WHERE o.held AND o.kind <> d.kind AND o.cause_n < d.cause_n
        AND o.user_id = d.user_id AND o.channel = d.channel AND o.project_id = d.project_id)
  ), bundles AS (
    SELECT (array_agg(id ORDER BY cause_n))[1] AS message_id, min(cause_n) AS seq, user_id, channel, project_id, kind
    FROM going GROUP BY user_id, channel, project_id, kind
  ), made AS (
    INSERT INTO notification_message (id, project_id, user_id, channel, kind, seq, created_at, next_try, give_up_at)
    SELECT message_id, project_id, user_id, channel, kind, seq, $1, $1, $1::timestamptz + $3::float8 * interval '1 millisecond' FROM bundles
    RETURNING id
  )
  SELECT g.id, b.message_id FROM going g JOIN bundles b USING (user_id, channel, project_id, kind) JOIN made ON made.id = b.message_id`;

/** Corrects rows written under a clock that was ahead and was set back since. */
const PULL_BACK_INTENTS = `
  UPDATE notification_intent SET due_at = due_at - (made_at - $1), made_at = $1 WHERE state = 'waiting' AND made_at > $1`;
const PULL_BACK_MESSAGES = `UPDATE notification_message SET created_at = $1, next_try = least(next_try, $1) WHERE state = 'due' AND created_at > $1`;

/** One cause in a message. */
export interface BundledIntent {
  readonly causeId: string;
  readonly correlationId: string;
  /** W3C Trace Context in which the cause was appended. */
  readonly traceparent: string | null;
  readonly episode: string;
  readonly facts: AlertFacts;
  /** Its monitoring ended after the message was made. */
  readonly withdrawn: boolean;
}

const INTENTS = `
  SELECT cause_id AS "causeId", correlation_id AS "correlationId", episode, facts, state = 'cancelled' AS withdrawn,
    (SELECT substring(meta from '"traceparent":"([^"]+)"') FROM log WHERE log.id = cause_id) AS traceparent
  FROM notification_intent WHERE message_id = $1 ORDER BY cause_n`;

/** An earlier message about a failure that a later message ends. */
export interface EndedMessage {
  readonly id: string;
  /** Every failure that it reported has ended. */
  readonly over: boolean;
  /** Null when it was never delivered. */
  readonly deliveredAt: Date | null;
}

const ENDED_MESSAGES = `
  SELECT p.message_id AS id, bool_and(p.over) AS over, max(m.finished_at) FILTER (WHERE m.state = 'delivered') AS "deliveredAt"
  FROM notification_intent p JOIN notification_message m ON m.id = p.message_id
  WHERE p.kind = 'problem' AND p.message_id IN (
    SELECT q.message_id FROM notification_intent r
    JOIN notification_intent q ON q.episode = r.episode AND q.kind = 'problem' AND q.user_id = r.user_id AND q.channel = r.channel
    WHERE r.message_id = $1 AND r.kind <> 'problem')
  GROUP BY p.message_id ORDER BY min(p.cause_n)`;

/** Whether the recovery of every cause was sent, or failed for good, before the message itself. */
const RECOVERY_WAS_SENT = `
  SELECT NOT EXISTS (
    SELECT FROM notification_intent p
    WHERE p.message_id = $1 AND NOT EXISTS (
      SELECT FROM notification_intent r JOIN notification_message m ON m.id = r.message_id
      WHERE r.episode = p.episode AND r.user_id = p.user_id AND r.channel = p.channel AND r.kind <> 'problem' AND m.state <> 'due')) AS ended`;

/** Reported failures of a project that have not ended. */
const OPEN_STATUSES = `
  SELECT DISTINCT p.facts ->> 'status' AS status FROM notification_intent p JOIN notification_message sent ON sent.id = p.message_id
  WHERE p.project_id = $1 AND p.kind = 'problem' AND NOT p.over AND sent.state = 'delivered'`;

const DELETE_FINISHED = `
  DELETE FROM notification_message m WHERE state <> 'due' AND finished_at < $1 AND NOT EXISTS (
    SELECT FROM notification_intent i JOIN notification_episode e ON e.episode = i.episode WHERE i.message_id = m.id)`;

/**
 * The first instant after $1 at which a poll finds something new: an attempt that is due (of a recovery not before the failure that it ends was
 * attempted again), an intent that is due, or the end of a bundling minute. Anything due by $1 was polled then: in flight, or waiting for one that is.
 */
const NEXT = `
  SELECT min(at) AS at FROM (
    SELECT greatest(m.next_try, CASE WHEN m.kind <> 'problem' THEN (
      SELECT max(pm.next_try) FROM notification_intent r
      JOIN notification_intent p ON p.episode = r.episode AND p.kind = 'problem' AND p.user_id = r.user_id AND p.channel = r.channel
      JOIN notification_message pm ON pm.id = p.message_id AND pm.state = 'due'
      WHERE r.message_id = m.id) END) AS at
    FROM notification_message m WHERE m.state = 'due'
    UNION ALL
    SELECT due_at FROM notification_intent WHERE state = 'waiting'
    UNION ALL
    SELECT m.created_at + ($2::float8 + 1) * interval '1 millisecond'
    FROM notification_intent i
    JOIN notification_message m ON m.user_id = i.user_id AND m.channel = i.channel AND m.project_id = i.project_id AND m.kind = i.kind
    WHERE i.state = 'waiting' AND i.due_at <= $1 AND m.created_at >= $1::timestamptz - $2::float8 * interval '1 millisecond'
  ) AS polls WHERE at > $1`;

const EMPTY = `
  SELECT NOT EXISTS (SELECT FROM notification_message WHERE state = 'due')
    AND NOT EXISTS (SELECT FROM notification_intent WHERE state = 'waiting') AS empty`;

/** Bundles due intents of the outbox into messages. */
export class MessageBundler {
  constructor(private readonly pool: pg.Pool) {}

  async bundle(now: number): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await client.query(PULL_BACK_INTENTS, [new Date(now)]);
      await client.query(PULL_BACK_MESSAGES, [new Date(now)]);
      const { rows } = await client.query<{ id: string; message_id: string }>(BUNDLE, [new Date(now), BUNDLE_MS, GIVE_UP_MS]);
      if (rows.length === 0) return;
      await client.query(
        `UPDATE notification_intent i SET state = 'bundled', message_id = one.message
         FROM unnest($1::uuid[], $2::uuid[]) AS one (id, message) WHERE i.id = one.id`,
        [rows.map(({ id }) => id), rows.map(({ message_id }) => message_id)],
      );
    });
  }

  /** Nothing waits, now or later. */
  async isEmpty(): Promise<boolean> {
    const { rows } = await this.pool.query<{ empty: boolean }>({ name: 'notification_empty', text: EMPTY });
    return rows[0]?.empty === true;
  }

  /** When to poll again after a poll at `after`, in milliseconds since the epoch; null: on the next ring. */
  async nextAt(after: number): Promise<number | null> {
    const { rows } = await this.pool.query<{ at: Date | null }>({
      name: 'notification_next',
      text: NEXT,
      values: [new Date(after), BUNDLE_MS],
    });
    return rows[0]?.at?.getTime() ?? null;
  }

  /** Projects with problems that are due and not bundled yet. */
  async dueProjects(now: number): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>(
      `SELECT DISTINCT project_id AS id FROM notification_intent WHERE state = 'waiting' AND kind = 'problem' AND due_at <= $1`,
      [new Date(now)],
    );
    return rows.map(({ id }) => id);
  }

  async postpone(projectId: string, until: number): Promise<void> {
    await this.pool.query(
      `UPDATE notification_intent SET due_at = $2 WHERE project_id = $1 AND state = 'waiting' AND kind = 'problem' AND due_at < $2`,
      [projectId, new Date(until)],
    );
  }

  async intentsOf(messageId: string): Promise<readonly BundledIntent[]> {
    return (await this.pool.query<BundledIntent>(INTENTS, [messageId])).rows;
  }

  async recoveryWasSent(messageId: string): Promise<boolean> {
    return (await this.pool.query<{ ended: boolean }>(RECOVERY_WAS_SENT, [messageId])).rows[0]?.ended === true;
  }

  async openStatuses(projectId: string): Promise<readonly AlertFacts['status'][]> {
    return (await this.pool.query<{ status: AlertFacts['status'] }>(OPEN_STATUSES, [projectId])).rows.map(({ status }) => status);
  }

  async reportSpanOf(messageId: string): Promise<ReportSpan | null> {
    const { rows } = await this.pool.query<{ facts: ReportSpan }>('SELECT facts FROM notification_intent WHERE message_id = $1', [
      messageId,
    ]);
    return rows[0]?.facts ?? null;
  }

  async noticesOf(messageId: string): Promise<readonly Notice[]> {
    const { rows } = await this.pool.query<{ facts: Notice }>(
      `SELECT facts FROM notification_intent WHERE message_id = $1 AND kind = 'notice' ORDER BY cause_n, id`,
      [messageId],
    );
    return rows.map(({ facts }) => facts);
  }

  async endedMessages(messageId: string): Promise<readonly EndedMessage[]> {
    return (await this.pool.query<EndedMessage>(ENDED_MESSAGES, [messageId])).rows;
  }

  /** Messages about a failure that has not ended stay until it does. */
  async deleteFinished(before: number): Promise<void> {
    await this.pool.query(DELETE_FINISHED, [new Date(before)]);
    await this.pool.query(`DELETE FROM notification_intent WHERE state = 'cancelled' AND due_at < $1`, [new Date(before)]);
  }
}
