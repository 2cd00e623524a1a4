import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { decodeSubscription, encodeSubscription } from './subscription-codec.ts';
import { type DeadLetterEvent, keyText, type SubscribedService, type SubscriptionKey, type SubscriptionSettings } from './subscription.ts';
import { positionOfState, type SubscriptionState } from './subscription-state.ts';

/** A subscription as it was read. */
export interface StoredSubscription {
  readonly key: SubscriptionKey;
  readonly settings: SubscriptionSettings;
  readonly state: SubscriptionState;
  readonly version: string;
  readonly createdAt: Date;
  /** Epoch milliseconds by the clock of the database. */
  readonly now: number;
  readonly savedAt: number;
  /** Number of its parked events. */
  readonly parked: number;
}

export interface SubscriptionChange {
  readonly state: SubscriptionState;
  readonly settings?: SubscriptionSettings;
  readonly park?: readonly DeadLetterEvent[];
  /** Positions of parked events that are parked no longer; those after `unparkAfter` as well. */
  readonly unpark?: readonly number[];
  readonly unparkAfter?: number;
}

export interface StoredParkedEvent extends DeadLetterEvent {
  readonly parkedAt: Date;
}

interface KnownState {
  readonly version: string;
  readonly state: SubscriptionState;
}

export interface NewSubscription {
  readonly settings: SubscriptionSettings;
  readonly state: SubscriptionState;
  readonly projectId?: string | null;
}

const MAX_KNOWN = 50;

/** Over all accounts. */
export interface SubscriptionTotals {
  readonly subscriptions: number;
  readonly parked: number;
  /** The lowest; null: there is no subscription. */
  readonly position: number | null;
}

interface Row {
  readonly user_id: number;
  readonly name: string;
  readonly types: readonly string[];
  readonly scopes: readonly string[] | null;
  readonly reach: SubscriptionSettings['filter']['reach'];
  readonly partition_by: SubscriptionSettings['partition'];
  readonly max_in_flight: number;
  readonly ack_seconds: number;
  /** Null when it is that of the version that this process knows. */
  readonly state: string | null;
  readonly version: string;
  readonly created_at: Date;
  readonly now: string;
  readonly saved: string;
  readonly parked: string;
}

const COLUMNS = `user_id, name, types, scopes, reach, partition_by, max_in_flight, ack_seconds, version, created_at,
  (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, (extract(epoch FROM saved_at) * 1000)::bigint AS saved,
  (SELECT count(*) FROM subscription_parked p WHERE (p.user_id, p.name) = (s.user_id, s.name)) AS parked`;

/** One row per subscription, and one per parked event. */
@Injectable()
export class SubscriptionStore {
  /** The latest states that this process wrote or read, so that a read by the same process transfers and parses none. */
  private readonly known = new LRUCache<string, KnownState>({ max: MAX_KNOWN });

  constructor(private readonly pool: pg.Pool) {}

  async read(key: SubscriptionKey): Promise<StoredSubscription | null> {
    const { userId, name } = key;
    const known = this.known.get(keyText(key));
    const { rows } = await this.pool.query<Row>({
      name: 'subscription',
      text: `SELECT ${COLUMNS}, CASE WHEN version <> $3 THEN state END AS state FROM subscription s WHERE user_id = $1 AND name = $2`,
      values: [userId, name, known?.version ?? '-1'],
    });
    const [row] = rows;
    if (row === undefined) return null;
    const state = row.state === null ? known?.state : decodeSubscription(row.state);
    if (state === undefined) throw new Error('the subscription has no state');
    this.known.set(keyText(key), { version: row.version, state });
    return stored(row, state);
  }

  async list(userId: number): Promise<readonly StoredSubscription[]> {
    const { rows } = await this.pool.query<Row>(`SELECT ${COLUMNS}, state FROM subscription s WHERE user_id = $1 ORDER BY name`, [userId]);
    return rows.map((row) => stored(row, decodeSubscription(row.state ?? '')));
  }

  /** `most`: subscriptions of the account; `projectId`: that of a service account. */
  async create(
    { userId, name }: SubscriptionKey,
    { settings, state, projectId = null }: NewSubscription,
    most: number,
  ): Promise<'created' | 'exists' | 'too many'> {
    const { rows } = await this.pool.query<{ others: string; created: string }>(
      `WITH others AS (SELECT count(*) AS n FROM subscription WHERE user_id = $1),
       created AS (
         INSERT INTO subscription (user_id, name, types, scopes, reach, partition_by, max_in_flight, ack_seconds, position, state, project_id)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12 FROM others WHERE n < $11
         ON CONFLICT DO NOTHING RETURNING 1
       )
       SELECT n AS others, (SELECT count(*) FROM created) AS created FROM others`,
      [userId, name, ...columnsOf(settings), positionOfState(state), encodeSubscription(state), most, projectId],
    );
    if (rows[0]?.created === '1') return 'created';
    return Number(rows[0]?.others) >= most ? 'too many' : 'exists';
  }

  /** All in one statement; false: another request was faster, and nothing changed. */
  async save({ key, settings: before, version }: StoredSubscription, change: SubscriptionChange): Promise<boolean> {
    const { state, settings = before, park = [], unpark = [], unparkAfter = Number.MAX_SAFE_INTEGER } = change;
    const { userId, name } = key;
    const touchesParked = park.length > 0 || unpark.length > 0 || change.unparkAfter !== undefined;
    const { rows } = await this.pool.query<{ changed: string }>({
      name: touchesParked ? 'save_subscription_parked' : 'save_subscription',
      text: touchesParked ? `WITH ${UPDATE}, ${PARKED} ${CHANGED}` : `WITH ${UPDATE} ${CHANGED}`,
      values: [
        ...[userId, name, ...columnsOf(settings), positionOfState(state), encodeSubscription(state), version],
        ...(touchesParked ? [JSON.stringify(park), unpark, unparkAfter] : []),
      ],
    });
    const isSaved = rows[0]?.changed === '1';
    if (isSaved) this.known.set(keyText(key), { version: String(BigInt(version) + 1n), state });
    return isSaved;
  }

  async delete({ userId, name }: SubscriptionKey): Promise<boolean> {
    const { rowCount } = await this.pool.query('DELETE FROM subscription WHERE user_id = $1 AND name = $2', [userId, name]);
    return rowCount === 1;
  }

  /** In the order of the log. */
  async parked({ userId, name }: SubscriptionKey): Promise<readonly StoredParkedEvent[]> {
    const { rows } = await this.pool.query<Omit<DeadLetterEvent, 'n'> & { readonly n: string; readonly parked_at: Date }>(
      'SELECT n, attempts, consumer, reason, parked_at FROM subscription_parked WHERE user_id = $1 AND name = $2 ORDER BY n',
      [userId, name],
    );
    return rows.map(({ parked_at, ...row }) => ({ ...row, n: Number(row.n), parkedAt: parked_at }));
  }

  async totals(): Promise<SubscriptionTotals> {
    const { rows } = await this.pool.query<{ subscriptions: string; parked: string; position: string | null }>(
      'SELECT count(*) AS subscriptions, min(position) AS position, (SELECT count(*) FROM subscription_parked) AS parked FROM subscription',
    );
    const [row] = rows;
    const position = row?.position ?? null;
    return {
      subscriptions: Number(row?.subscriptions),
      parked: Number(row?.parked),
      position: position === null ? null : Number(position),
    };
  }

  /** Deletes the subscriptions of accounts whose erasure has begun. */
  async deleteOfErased(): Promise<void> {
    await this.pool.query('DELETE FROM subscription USING erasures WHERE erasures.user_id = subscription.user_id');
  }

  async subscribedServices(): Promise<readonly SubscribedService[]> {
    const { rows } = await this.pool.query<SubscribedService>(
      'SELECT DISTINCT user_id AS "userId", project_id AS "projectId" FROM subscription WHERE user_id < 0',
    );
    return rows;
  }

  /** Deletes the subscriptions of a service account that has ended. */
  async deleteOfService({ userId, projectId }: SubscribedService): Promise<void> {
    await this.pool.query('DELETE FROM subscription WHERE user_id = $1 AND project_id IS NOT DISTINCT FROM $2', [userId, projectId]);
  }
}

const UPDATE = `changed AS (
  UPDATE subscription SET
    types = $3, scopes = $4, reach = $5, partition_by = $6, max_in_flight = $7, ack_seconds = $8, position = $9, state = $10,
    version = version + 1, saved_at = now()
  WHERE user_id = $1 AND name = $2 AND version = $11 RETURNING user_id, name
)`;
const PARKED = `removed AS (
  DELETE FROM subscription_parked p USING changed WHERE (p.user_id, p.name) = (changed.user_id, changed.name) AND (n = ANY ($13::bigint[]) OR n > $14)
), added AS (
  INSERT INTO subscription_parked (user_id, name, n, attempts, consumer, reason)
  SELECT changed.user_id, changed.name, given.* FROM changed,
    json_to_recordset($12::json) AS given(n bigint, attempts integer, consumer text, reason text)
  ON CONFLICT (user_id, name, n) DO UPDATE SET
    attempts = excluded.attempts, consumer = excluded.consumer, reason = excluded.reason, parked_at = excluded.parked_at
)`;
const CHANGED = 'SELECT count(*) AS changed FROM changed';

const columnsOf = ({ filter, partition, maxInFlight, ackSeconds }: SubscriptionSettings): readonly unknown[] => [
  ...[filter.types, filter.scopes, filter.reach, partition, maxInFlight, ackSeconds],
];

const stored = (row: Row, state: SubscriptionState): StoredSubscription => ({
  key: { userId: row.user_id, name: row.name },
  settings: {
    filter: { types: row.types, scopes: row.scopes, reach: row.reach },
    partition: row.partition_by,
    maxInFlight: row.max_in_flight,
    ackSeconds: row.ack_seconds,
  },
  state,
  version: row.version,
  createdAt: row.created_at,
  now: Number(row.now),
  savedAt: Number(row.saved),
  parked: Number(row.parked),
});
