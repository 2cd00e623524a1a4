import type pg from 'pg';
import type { LogEvent } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import { type OutboxRow, GIVE_UP_MS } from '../../platform/outbox/outbox-relay.ts';
import type { StatusNotice } from './status-notice.ts';
import type { SubscriberKind } from './subscriber-links.ts';

/** Wake topic: the outbox has new notices. */
export const STATUS_NOTICES = 'status notices';

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
export interface StatusDelivery extends OutboxRow {
  readonly kind: SubscriberKind;
  readonly noticeId: string;
  readonly pageId: string;
  readonly facts: StatusNotice;
  readonly madeAt: Date;
  readonly subscriberId: string;
  readonly sealed: string;
  readonly language: string;
}

/** Due messages read per kind, of which fewer are sent at once. */
const PAGE_PER_KIND = 64;

/** The oldest of each subscriber: an update never overtakes the one before it, which is tried until it is delivered or given up. */
const IS_FIRST = `state = 'due' AND NOT EXISTS (
  SELECT FROM status_delivery e WHERE e.subscriber_id = d.subscriber_id AND e.state = 'due' AND e.seq < d.seq)`;

const DUE = `
  SELECT d.id, d.kind, d.attempts, d.next_try AS "nextTry", d.give_up_at AS "giveUpAt", n.id AS "noticeId", n.page_id AS "pageId", n.facts,
    n.made_at AS "madeAt", s.id AS "subscriberId", s.sealed, s.language
  FROM unnest('{email,webhook}'::text[]) AS of_kind (kind) CROSS JOIN LATERAL (
    SELECT * FROM status_delivery d WHERE d.kind = of_kind.kind AND next_try <= $1 AND id <> ALL ($2) AND ${IS_FIRST}
    ORDER BY next_try, seq LIMIT $3
  ) AS d JOIN status_notice n ON n.id = d.notice_id JOIN status_subscriber s ON s.id = d.subscriber_id ORDER BY d.next_try, d.seq`;

/** Anything due by $1 was polled then: in flight, or waiting for one that is. */
const NEXT_AT = `
  SELECT min(d.next_try) AS at FROM unnest('{email,webhook}'::text[]) AS of_kind (kind) CROSS JOIN LATERAL (
    SELECT next_try FROM status_delivery d WHERE d.kind = of_kind.kind AND next_try > $1 AND ${IS_FIRST} ORDER BY next_try LIMIT 1
  ) AS d`;

const EMPTY = `SELECT NOT EXISTS (SELECT FROM status_delivery WHERE state = 'due') AS empty`;

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

  async due(now: number, inFlight: readonly string[]): Promise<readonly StatusDelivery[]> {
    return (await this.pool.query<StatusDelivery>(DUE, [new Date(now), inFlight, PAGE_PER_KIND])).rows;
  }

  async nextAt(after: number): Promise<number | null> {
    const { rows } = await this.pool.query<{ at: Date | null }>(NEXT_AT, [new Date(after)]);
    return rows[0]?.at?.getTime() ?? null;
  }

  async isEmpty(): Promise<boolean> {
    return (await this.pool.query<{ empty: boolean }>(EMPTY)).rows[0]?.empty === true;
  }

  async deleteFinished(before: number): Promise<void> {
    for (const statement of CLEAN_UP) await this.pool.query(statement, statement.includes('$1') ? [new Date(before)] : []);
  }
}
