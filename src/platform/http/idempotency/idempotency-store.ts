import type pg from 'pg';
import { derivedId } from '../../../kernel/ids.ts';
import type { TimedQuery } from '../../postgres/pool.ts';
import { WITHOUT_FLUSH } from '../../postgres/transaction.ts';

export interface IdempotentAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The command of a key. `firstTriedAfter`: a position of the event store before all of its attempts. */
export interface KeyedCommand {
  readonly commandId: string;
  readonly firstTriedAfter?: string | undefined;
}

/** The state of a key: used for the first time, accepted without a stored answer (under way, or interrupted), answered, or used for another request. */
export type KeyUse =
  | ({ readonly kind: 'first' | 'unanswered' } & KeyedCommand)
  | { readonly kind: 'answered'; readonly answer: IdempotentAnswer }
  | { readonly kind: 'other' };

interface Row {
  readonly fresh: boolean;
  readonly generation: number;
  readonly request_hash: string;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly body: string | null;
  readonly first_used_after: string | null;
}

/** The key of a row that states from when on the table knows every key: a restore leaves the others out, an operator may have emptied it. */
const COMPLETE_SINCE = '00000000-0000-0000-0000-000000000000';

/** Null where the key may have been used before without this table knowing it: then its events may be anywhere in the log. */
const LOG_END = `SELECT source_position FROM log
          WHERE (SELECT begun_at < now() - interval '25 hours' FROM idempotency WHERE key = '${COMPLETE_SINCE}') ORDER BY n DESC LIMIT 1`;

/** After a restore, in its transaction. */
export async function forgetKeysBefore(db: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await db.query(`DELETE FROM idempotency WHERE key = '${COMPLETE_SINCE}'`);
}

/** As long as an append may take; then the client gets 503 instead of waiting for the pool's own, longer limit. */
const QUERY_TIMEOUT_MS = 5_000;

/** Answers of keyed writes, for 24 hours, shared by all instances (docs/spec/decisions.md#G11). */
export class IdempotencyStore {
  /**
   * `flush`: a key survives a crash before the write's events are appended, as it must where they are in another store. Where the log is in the same database,
   * the append makes it durable; an answer that a crash loses is given again by a repeat, which finds the events.
   */
  constructor(
    private readonly pool: pg.Pool,
    private readonly flush = true,
  ) {}

  /** Whether a write with this key was accepted before. */
  async knows(key: string): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'idempotency-knows',
      text: 'SELECT FROM idempotency WHERE key = $1',
      values: [key],
    });
    return rowCount === 1;
  }

  async recordUse(key: string, requestHash: string): Promise<KeyUse> {
    const query: TimedQuery = {
      query_timeout: QUERY_TIMEOUT_MS,
      name: `idempotency-begin-${String(this.flush)}`,
      text: `
        INSERT INTO idempotency AS known (key, request_hash, generation, begun_at, first_used_after)
        VALUES ($1, $2, floor(extract(epoch FROM now()) / 86400), now(), (${LOG_END}))
        ON CONFLICT (key) DO UPDATE SET
          request_hash = CASE WHEN known.begun_at < now() - interval '24 hours' THEN excluded.request_hash ELSE known.request_hash END,
          status       = CASE WHEN known.begun_at < now() - interval '24 hours' THEN NULL ELSE known.status END,
          generation   = CASE WHEN known.begun_at < now() - interval '24 hours' THEN greatest(known.generation + 1, excluded.generation) ELSE known.generation END,
          first_used_after = CASE WHEN known.begun_at < now() - interval '24 hours' THEN excluded.first_used_after ELSE known.first_used_after END,
          begun_at     = CASE WHEN known.begun_at < now() - interval '24 hours' THEN now() ELSE known.begun_at END
        RETURNING (xmax = 0) AS fresh, generation, request_hash, status, content_type, body, first_used_after${this.flush ? '' : `, ${WITHOUT_FLUSH}`}`,
      values: [key, requestHash],
    };
    const { rows } = await this.pool.query<Row>(query);
    const row = rows[0];
    if (row === undefined) throw new Error('the upsert of an idempotency key returned no row');
    // A key that is used again after it expired is a new command, also when its row was deleted: the day of its first use is part of the command's id.
    const commandId = derivedId('command', key, row.generation);
    const command = { commandId, ...(row.first_used_after !== null && { firstTriedAfter: row.first_used_after }) };
    if (row.fresh) return { kind: 'first', ...command };
    if (row.request_hash !== requestHash) return { kind: 'other' };
    if (row.status === null) return { kind: 'unanswered', ...command };
    return { kind: 'answered', answer: { status: row.status, contentType: row.content_type ?? 'application/json', body: row.body ?? '' } };
  }

  /** Keeps the first answer, so that concurrent repeats are answered alike. */
  async storeAnswer(key: string, answer: IdempotentAnswer): Promise<void> {
    const query: TimedQuery = {
      query_timeout: QUERY_TIMEOUT_MS,
      name: `idempotency-answered-${String(this.flush)}`,
      text: `UPDATE idempotency SET status = $2, content_type = $3, body = $4 WHERE key = $1 AND status IS NULL ${this.flush ? '' : `RETURNING ${WITHOUT_FLUSH}`}`,
      values: [key, answer.status, answer.contentType, answer.body],
    };
    await this.pool.query(query);
  }

  async deleteExpired(): Promise<void> {
    await this.pool.query(`DELETE FROM idempotency WHERE begun_at < now() - interval '25 hours' AND key <> '${COMPLETE_SINCE}'`);
    await this.pool.query(
      `INSERT INTO idempotency (key, request_hash, begun_at) VALUES ('${COMPLETE_SINCE}', '', now()) ON CONFLICT DO NOTHING`,
    );
  }
}
