import type pg from 'pg';
import type { StoredCheckpoint } from '../seal/store/ledger-store.ts';

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
