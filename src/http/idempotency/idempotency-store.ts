import type pg from 'pg';
import { derivedId } from '../../kernel/ids.ts';

export interface StoredAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** What the store knows of a key: seen for the first time, under way or lost on the way, answered, or used for something else. */
export type Seen =
  | { readonly kind: 'first' | 'unanswered'; readonly commandId: string }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  | { readonly kind: 'other' };

interface Row {
  readonly fresh: boolean;
  readonly generation: number;
  readonly request_hash: string;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly body: string | null;
}

/** Answers of keyed writes, for 24 hours, shared by all instances (docs/spec/decisions.md#G11). */
export class IdempotencyStore {
  constructor(private readonly pool: pg.Pool) {}

  /** Whether this very write got through before. */
  async knows(key: string): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'idempotency-knows',
      text: 'SELECT FROM idempotency WHERE key = $1',
      values: [key],
    });
    return rowCount === 1;
  }

  async begin(key: string, requestHash: string): Promise<Seen> {
    const { rows } = await this.pool.query<Row>({
      name: 'idempotency-begin',
      text: `
        INSERT INTO idempotency AS known (key, request_hash, generation, begun_at)
        VALUES ($1, $2, floor(extract(epoch FROM now()) / 86400), now())
        ON CONFLICT (key) DO UPDATE SET
          request_hash = CASE WHEN known.begun_at < now() - interval '24 hours' THEN excluded.request_hash ELSE known.request_hash END,
          status       = CASE WHEN known.begun_at < now() - interval '24 hours' THEN NULL ELSE known.status END,
          generation   = CASE WHEN known.begun_at < now() - interval '24 hours' THEN greatest(known.generation + 1, excluded.generation) ELSE known.generation END,
          begun_at     = CASE WHEN known.begun_at < now() - interval '24 hours' THEN now() ELSE known.begun_at END
        RETURNING (xmax = 0) AS fresh, generation, request_hash, status, content_type, body`,
      values: [key, requestHash],
    });
    const row = rows[0];
    if (row === undefined) throw new Error('an upsert answers its row');
    // A key that comes back after its time is a new command, also when nobody remembers it: the day of its first use keeps the two apart.
    const commandId = derivedId('command', key, row.generation);
    if (row.fresh) return { kind: 'first', commandId };
    if (row.request_hash !== requestHash) return { kind: 'other' };
    if (row.status === null) return { kind: 'unanswered', commandId };
    return { kind: 'answered', answer: { status: row.status, contentType: row.content_type ?? 'application/json', body: row.body ?? '' } };
  }

  /** The first answer stays: of two repeats that ran at once, both tell the same. */
  async answered(key: string, answer: StoredAnswer): Promise<void> {
    await this.pool.query({
      name: 'idempotency-answered',
      text: `UPDATE idempotency SET status = $2, content_type = $3, body = $4 WHERE key = $1 AND status IS NULL`,
      values: [key, answer.status, answer.contentType, answer.body],
    });
  }

  async forgetOld(): Promise<void> {
    await this.pool.query(`DELETE FROM idempotency WHERE begun_at < now() - interval '25 hours'`);
  }
}
