import type pg from 'pg';
import type { StoredCheckpoint } from '../seal/store/ledger-store.ts';

/** A checkpoint with the cosignatures that it has. */
export interface CosignedCheckpoint {
  readonly size: number;
  readonly note: string;
  readonly cosigners: number;
  /** The witnesses that keep up with the log. */
  readonly awaited: number;
}

/** Checkpoints before the newest of a witness, among which one is searched that others cosigned, too. */
const MOST_SEARCHED = 1_000;

/** Cosignatures of this log's checkpoints by witnesses. */
export class CosignatureStore {
  constructor(private readonly pool: pg.Pool) {}

  /** The size of the newest checkpoint of an origin that the witness cosigned. */
  async sizeKnownTo(witnessKey: string, generation: number): Promise<number> {
    const { rows } = await this.pool.query<{ size: string }>(
      `SELECT size FROM ledger_cosignature JOIN ledger_checkpoint USING (number)
       WHERE witness_key = $1 AND generation = $2 ORDER BY number DESC LIMIT 1`,
      [witnessKey, generation],
    );
    return Number(rows[0]?.size ?? 0);
  }

  async has(number: number, witnessKey: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT FROM ledger_cosignature WHERE number = $1 AND witness_key = $2', [
      number,
      witnessKey,
    ]);
    return rowCount === 1;
  }

  async add(number: number, witnessKey: string, line: string): Promise<void> {
    await this.pool.query(
      `INSERT INTO ledger_cosignature (number, witness_key, line) VALUES ($1, $2, $3)
       ON CONFLICT (number, witness_key) DO UPDATE SET line = excluded.line, received_at = clock_timestamp()`,
      [number, witnessKey, line],
    );
  }

  /**
   * Of the checkpoints over more than `n` events, the one that most of the witnesses cosigned, and of those the newest; null while none covers them. A
   * witness whose next checkpoint was signed ten seconds ago does not keep up: its cosignature is not awaited.
   */
  async covering(n: number, witnessKeys: readonly string[]): Promise<CosignedCheckpoint | null> {
    const { rows } = await this.pool.query<Omit<CosignedCheckpoint, 'size'> & { readonly size: string }>({
      name: 'ledger-covering',
      text: `WITH witness AS (
               SELECT (SELECT max(number) FROM ledger_cosignature WHERE witness_key = asked.key) AS newest FROM unnest($2::text[]) AS asked (key)
             ), quorum AS (
               SELECT row_number() OVER (ORDER BY newest DESC) AS cosigners, newest FROM witness WHERE newest IS NOT NULL
             ), best AS (
               SELECT quorum.cosigners, found.number FROM quorum CROSS JOIN LATERAL (
                 SELECT number FROM ledger_cosignature
                 WHERE witness_key = ANY ($2) AND number BETWEEN quorum.newest - $3 AND quorum.newest
                 GROUP BY number HAVING count(*) >= quorum.cosigners ORDER BY number DESC LIMIT 1
               ) AS found
               UNION ALL SELECT 0, max(number) FROM ledger_checkpoint WHERE generation = (SELECT generation FROM ledger_state)
             )
             SELECT size, best.cosigners::int,
               note || coalesce((SELECT string_agg(line, '' ORDER BY witness_key) FROM ledger_cosignature AS c WHERE c.number = best.number), '') AS note,
               (SELECT count(*) FROM witness WHERE newest IS NOT NULL AND NOT EXISTS (
                 SELECT FROM ledger_checkpoint AS next WHERE next.number = newest + 1 AND next.signed_at < clock_timestamp() - interval '10 s'
               ))::int AS awaited
             FROM best JOIN ledger_checkpoint USING (number)
             WHERE size > $1 AND generation = (SELECT generation FROM ledger_state)
             ORDER BY cosigners DESC LIMIT 1`,
      values: [n, witnessKeys, MOST_SEARCHED],
    });
    return rows[0] === undefined ? null : { ...rows[0], size: Number(rows[0].size) };
  }

  /** The note with the signature lines of its witnesses. */
  async cosigned({ number, note }: Pick<StoredCheckpoint, 'number' | 'note'>): Promise<string> {
    const { rows } = await this.pool.query<{ line: string }>({
      name: 'ledger-cosignatures',
      text: 'SELECT line FROM ledger_cosignature WHERE number = $1 ORDER BY witness_key',
      values: [number],
    });
    return note + rows.map(({ line }) => line).join('');
  }
}
