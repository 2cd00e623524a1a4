import type pg from 'pg';
import type { CosignedTree, WitnessMemory } from './log-witness.ts';

export interface WitnessedLog extends CosignedTree {
  readonly origin: string;
  readonly note: string;
  readonly cosignedAt: Date;
}

interface Row {
  readonly origin: string;
  readonly size: string;
  readonly root: Buffer;
  readonly note: string;
  readonly cosigned_at: Date;
}

/** Lasts: a witness that forgets what it cosigned would cosign a fork. */
export class PostgresWitnessMemory implements WitnessMemory {
  constructor(private readonly pool: pg.Pool) {}

  async newest(origin: string): Promise<WitnessedLog | null> {
    const { rows } = await this.pool.query<Row>('SELECT * FROM witnessed_log WHERE origin = $1', [origin]);
    return rows[0] === undefined ? null : logOf(rows[0]);
  }

  async all(): Promise<readonly WitnessedLog[]> {
    return (await this.pool.query<Row>('SELECT * FROM witnessed_log ORDER BY origin')).rows.map(logOf);
  }

  async advance(
    origin: string,
    old: CosignedTree | null,
    { size, root, note }: CosignedTree & { readonly note: string },
  ): Promise<boolean> {
    const { rowCount } =
      old === null
        ? await this.pool.query('INSERT INTO witnessed_log (origin, size, root, note) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING', [
            ...[origin, size, root, note],
          ])
        : await this.pool.query(
            `UPDATE witnessed_log SET size = $2, root = $3, note = $4, cosigned_at = clock_timestamp()
             WHERE origin = $1 AND size = $5 AND root = $6`,
            [origin, size, root, note, old.size, old.root],
          );
    return rowCount === 1;
  }
}

const logOf = ({ size, cosigned_at, ...row }: Row): WitnessedLog => ({ ...row, size: Number(size), cosignedAt: cosigned_at });
