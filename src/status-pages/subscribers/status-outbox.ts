import type pg from 'pg';
import type { LogEvent } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { StatusNotice } from './status-notice.ts';
import type { SubscriberKind } from './subscriber-links.ts';

/** Wake topic: the outbox has new notices. */
export const STATUS_NOTICES = 'status notices';

const GIVE_UP_MS = 24 * 3_600_000;

interface NewNotice {
  readonly pageId: string;
  /** The event that it follows from. */
  readonly cause: Pick<LogEvent, 'id' | 'n' | 'recordedAt'>;
  readonly facts: StatusNotice;
  /** Ids of the items that it is about; none: the whole page. */
  readonly items: readonly string[];
}

const ADD_DELIVERIES = `
  INSERT INTO status_delivery (id, notice_id, subscriber_id, kind, seq, next_try, give_up_at)
  SELECT md5($1::uuid::text || s.id::text)::uuid, $1::uuid, s.id, s.kind, $2, $3, $3::timestamptz + $4::float8 * interval '1 millisecond'
  FROM status_subscriber s WHERE s.page_id = $5 AND s.confirmed_at <= $7 AND (s.items = '{}' OR $6::text[] = '{}' OR s.items && $6::text[])
  ON CONFLICT (id) DO NOTHING`;

/** The write side, in the transaction of the checkpoint: idempotent per event, page and subscriber. Later subscribers find on the page what was said before. */
export async function addStatusNotice(
  client: Pick<pg.ClientBase, 'query'>,
  { pageId, cause, facts, items }: NewNotice,
  now: number,
): Promise<void> {
  const id = derivedId('status notice', cause.id, pageId);
  await client.query(
    'INSERT INTO status_notice (id, page_id, cause_n, facts, made_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING',
    [...[id, pageId, cause.n, JSON.stringify(facts), new Date(now)]],
  );
  await client.query(ADD_DELIVERIES, [id, cause.n, new Date(now), GIVE_UP_MS, pageId, items, cause.recordedAt]);
}

/** What was announced of a maintenance window on a page; null: nothing. */
export async function announcedWindow(
  client: Pick<pg.ClientBase, 'query'>,
  pageId: string,
  windowId: string,
): Promise<Extract<StatusNotice, { windowId: string }> | null> {
  const { rows } = await client.query<{ facts: Extract<StatusNotice, { windowId: string }> }>(
    `SELECT facts FROM status_notice WHERE page_id = $1 AND facts ->> 'windowId' = $2 ORDER BY cause_n DESC LIMIT 1`,
    [pageId, windowId],
  );
  const facts = rows[0]?.facts;
  return facts?.about === 'planned' ? facts : null;
}

/** One message to one subscriber. */
export interface StatusDelivery {
  readonly id: string;
  readonly attempts: number;
  readonly nextTry: Date;
  readonly giveUpAt: Date;
  readonly noticeId: string;
  readonly pageId: string;
  readonly facts: StatusNotice;
  readonly madeAt: Date;
  readonly subscriberId: string;
  readonly sealed: string;
  readonly language: string;
}

/** The oldest of each subscriber: an update never overtakes the one before it, which is tried until it is delivered or given up. */
const DUE = `
  WITH first AS (
    SELECT DISTINCT ON (subscriber_id) id, notice_id, subscriber_id, seq, attempts, next_try, give_up_at FROM status_delivery
    WHERE state = 'due' AND kind = $1 ORDER BY subscriber_id, seq
  ), due AS (
    SELECT * FROM first WHERE next_try <= $2 ORDER BY next_try, seq LIMIT $3
  )
  SELECT d.id, d.attempts, d.next_try AS "nextTry", d.give_up_at AS "giveUpAt", n.id AS "noticeId", n.page_id AS "pageId", n.facts,
    n.made_at AS "madeAt", s.id AS "subscriberId", s.sealed, s.language
  FROM due d JOIN status_notice n ON n.id = d.notice_id JOIN status_subscriber s ON s.id = d.subscriber_id ORDER BY d.next_try, d.seq`;

const NEXT_AT = `SELECT min(next_try) AS at FROM status_delivery WHERE state = 'due' AND kind = $1`;

/** Messages of subscribers that a restore has not brought back, and those of a page that was deleted. */
const CLEAN_UP = [
  `DELETE FROM status_delivery WHERE finished_at < $1`,
  `DELETE FROM status_delivery d WHERE NOT EXISTS (SELECT FROM status_subscriber s WHERE s.id = d.subscriber_id)`,
  `DELETE FROM status_notice n WHERE made_at < $1 AND facts ->> 'windowId' IS NULL
     AND NOT EXISTS (SELECT FROM status_delivery d WHERE d.notice_id = n.id)`,
  `DELETE FROM status_notice WHERE facts ->> 'windowId' IS NOT NULL AND facts ->> 'repeat' IS NULL AND (facts ->> 'to')::timestamptz < $1`,
];

/** The read side. */
export class StatusOutbox {
  constructor(private readonly pool: pg.Pool) {}

  async due(kind: SubscriberKind, now: number, limit: number): Promise<readonly StatusDelivery[]> {
    return (await this.pool.query<StatusDelivery>(DUE, [kind, new Date(now), limit])).rows;
  }

  /** Milliseconds; null: nothing waits. */
  async nextAt(kind: SubscriberKind): Promise<number | null> {
    const { rows } = await this.pool.query<{ at: Date | null }>(NEXT_AT, [kind]);
    return rows[0]?.at?.getTime() ?? null;
  }

  async markFinished(id: string, state: 'delivered' | 'failed', attempts: number, answer: string, now: number): Promise<void> {
    await this.pool.query(
      `UPDATE status_delivery SET state = $2, attempts = $3, last_answer = $4, finished_at = $5 WHERE id = $1 AND state = 'due'`,
      [id, state, attempts, answer, new Date(now)],
    );
  }

  async reschedule(id: string, attempts: number, reason: string, next: { readonly at: number; readonly giveUpAt: Date }): Promise<void> {
    await this.pool.query(
      `UPDATE status_delivery SET attempts = $2, last_answer = $3, next_try = $4, give_up_at = $5 WHERE id = $1 AND state = 'due'`,
      [id, attempts, reason, new Date(next.at), next.giveUpAt],
    );
  }

  async deleteFinished(before: number): Promise<void> {
    for (const statement of CLEAN_UP) await this.pool.query(statement, statement.includes('$1') ? [new Date(before)] : []);
  }
}
