import { Injectable } from '@nestjs/common';
import pg from 'pg';

/** Wake topic: the outbox has new intents. */
export const NOTIFICATIONS = 'notifications';

export type DeliveryState = 'due' | 'delivered' | 'failed';

/** One message to one channel of one user: due, delivered or failed for good. */
export interface Delivery {
  readonly id: string;
  /** Empty for a report, which covers several projects, and for a notice. */
  readonly projectId: string;
  readonly userId: number;
  readonly channel: string;
  readonly kind: 'problem' | 'recovery' | 'withdrawal' | 'report' | 'notice';
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly lastAnswer: string | null;
  readonly createdAt: Date;
  readonly nextTry: Date;
  readonly giveUpAt: Date;
  readonly finishedAt: Date | null;
}

const COLUMNS = `id, project_id AS "projectId", user_id AS "userId", channel, kind, state, attempts, last_answer AS "lastAnswer",
  created_at AS "createdAt", next_try AS "nextTry", give_up_at AS "giveUpAt", finished_at AS "finishedAt"`;

/**
 * One message per recipient and a page per channel, so that a slow channel leaves room for the others. A recovery never overtakes the failure
 * that it ends, and alerts go before reports, many of which are due at once on a Monday morning.
 */
const DUE = `
  WITH ready AS (
    SELECT DISTINCT ON (channel, user_id) * FROM notification_message m
    WHERE state = 'due' AND next_try <= $1 AND id <> ALL ($2)
      AND (kind = 'problem' OR NOT EXISTS (
        SELECT FROM notification_intent r
        JOIN notification_intent p ON p.episode = r.episode AND p.kind = 'problem' AND p.user_id = r.user_id AND p.channel = r.channel
        JOIN notification_message pm ON pm.id = p.message_id AND pm.state = 'due'
        WHERE r.message_id = m.id))
    ORDER BY channel, user_id, kind = 'report', next_try, seq
  ), placed AS (
    SELECT *, row_number() OVER (PARTITION BY channel ORDER BY kind = 'report', next_try, seq) AS place FROM ready
  )
  SELECT ${COLUMNS} FROM placed WHERE place <= $3 ORDER BY kind = 'report', next_try, seq`;

/** Literal states, for which the planner can use the partial index of those that are not delivered. */
const STATE: Readonly<Record<DeliveryState, string>> = {
  due: `state = 'due'`,
  failed: `state = 'failed'`,
  delivered: `state = 'delivered'`,
};
const NOW = 'notification_message';
/** Each message as it was then: its oldest state that ended later, else the present one. */
const THEN = `(
    SELECT m.id, m.project_id, m.user_id, m.channel, m.kind, m.created_at, m.give_up_at, known.* FROM notification_message m
    CROSS JOIN LATERAL (
      SELECT past.state, past.attempts, past.last_answer, past.next_try, past.finished_at FROM (
        SELECT until, state, attempts, last_answer, next_try, finished_at FROM notification_message_past p WHERE p.id = m.id AND p.until > $5
        UNION ALL
        SELECT 'infinity', m.state, m.attempts, m.last_answer, m.next_try, m.finished_at
        ORDER BY until LIMIT 1
      ) AS past
    ) AS known
    WHERE m.user_id = $1 AND m.created_at <= $5
  ) AS messages`;
const listOf = (from: string, state: DeliveryState | null, direction: 'asc' | 'desc'): string => `
  SELECT ${COLUMNS}, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "listedAt" FROM ${from}
  WHERE user_id = $1 AND ${state === null ? 'true' : STATE[state]}
    AND ($2::timestamptz IS NULL OR (created_at, id) ${direction === 'asc' ? '>' : '<'} ($2, $3::uuid))
  ORDER BY created_at ${direction}, id ${direction} LIMIT $4`;

/** A delivery and its place in the list: the instant with microseconds. */
export interface ListedDelivery extends Delivery {
  readonly listedAt: string;
}

export interface DeliveryPage {
  /** Default: the newest first. */
  readonly direction?: 'asc' | 'desc';
  readonly after?: DeliveryPosition | null;
  readonly limit: number;
  /** As they were at this instant, in milliseconds; undefined for the present. */
  readonly asOf?: number | undefined;
}

export interface DeliveryPosition {
  readonly listedAt: string;
  readonly id: string;
}

/** The read side of the outbox: messages with their next attempt. Their history is in the log. */
@Injectable()
export class DeliveryStore {
  constructor(private readonly pool: pg.Pool) {}

  async due(now: number, busy: readonly string[], limit: number): Promise<readonly Delivery[]> {
    const { rows } = await this.pool.query<Delivery>(DUE, [new Date(now), busy, limit]);
    return rows;
  }

  async ofUser(
    userId: number,
    state: DeliveryState | null,
    { direction = 'desc', after = null, limit, asOf }: DeliveryPage,
  ): Promise<readonly ListedDelivery[]> {
    const text = listOf(asOf === undefined ? NOW : THEN, state, direction);
    const values = [userId, after?.listedAt, after?.id, limit, ...(asOf === undefined ? [] : [new Date(asOf)])];
    return (await this.pool.query<ListedDelivery>(text, values)).rows;
  }

  /** Gives a failed message another 24 hours of attempts. False when the user has no such message. */
  async retry(userId: number, id: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE notification_message
       SET state = CASE WHEN state = 'failed' THEN 'due' ELSE state END,
           next_try = CASE WHEN state = 'failed' THEN now() ELSE next_try END,
           give_up_at = CASE WHEN state = 'failed' THEN now() + interval '24 hours' ELSE give_up_at END,
           finished_at = CASE WHEN state = 'failed' THEN NULL ELSE finished_at END
       WHERE id = $1 AND user_id = $2`,
      [id, userId],
    );
    return rowCount === 1;
  }
}
