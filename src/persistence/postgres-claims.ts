import type pg from 'pg';
import { type Claim, CLAIM_SECONDS, type Claims } from './claims.ts';

/** One statement per operation; `claim_slot` and `claim_next` search under an advisory lock. */
export class PostgresClaims implements Claims {
  constructor(private readonly pool: pg.Pool) {}

  async claim(kind: string, key: string, holder: string, seconds = CLAIM_SECONDS): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `INSERT INTO claim (kind, key, holder, expires)
       VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')
       ON CONFLICT (kind, key) DO UPDATE SET expires = CASE WHEN claim.expires IS NOT NULL THEN excluded.expires END
       WHERE claim.holder = excluded.holder`,
      [kind, key, holder, seconds],
    );
    return rowCount === 1;
  }

  async claimSlot(kind: string, owner: string, max: number | null, holder: string, seconds = CLAIM_SECONDS): Promise<string | null> {
    const { rows } = await this.pool.query<{ key: string | null }>('SELECT claim_slot($1, $2, $3, $4, $5) AS key', [
      kind,
      owner,
      max,
      holder,
      seconds,
    ]);
    return rows[0]?.key ?? null;
  }

  async slotsTaken(kind: string, owner: string): Promise<number> {
    const { rows } = await this.pool.query<{ count: string }>('SELECT count(*) FROM claim WHERE kind = $1 AND owner = $2', [kind, owner]);
    return Number(rows[0]?.count);
  }

  async claimNext(kind: string, holder: string): Promise<number> {
    const { rows } = await this.pool.query<{ n: string }>('SELECT claim_next($1, $2) AS n', [kind, holder]);
    return Number(rows[0]?.n);
  }

  async keep(kind: string, key: string, holder: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('UPDATE claim SET expires = NULL WHERE kind = $1 AND key = $2 AND holder = $3', [
      kind,
      key,
      holder,
    ]);
    return rowCount === 1;
  }

  async release(kind: string, key: string, holder: string): Promise<void> {
    await this.pool.query('DELETE FROM claim WHERE kind = $1 AND key = $2 AND holder = $3', [kind, key, holder]);
  }

  async releaseAll(kind: string, holder: string): Promise<void> {
    await this.pool.query('DELETE FROM claim WHERE kind = $1 AND holder = $2', [kind, holder]);
  }

  async holderOf(kind: string, key: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ holder: string }>('SELECT holder FROM claim WHERE kind = $1 AND key = $2', [kind, key]);
    return rows[0]?.holder ?? null;
  }

  async expired(limit: number): Promise<readonly Claim[]> {
    const { rows } = await this.pool.query<Claim>(
      'SELECT kind, key, holder FROM claim WHERE expires < clock_timestamp() ORDER BY expires LIMIT $1',
      [limit],
    );
    return rows;
  }

  async free({ kind, key, holder }: Claim): Promise<void> {
    await this.pool.query('DELETE FROM claim WHERE kind = $1 AND key = $2 AND holder = $3 AND expires < clock_timestamp()', [
      kind,
      key,
      holder,
    ]);
  }
}
