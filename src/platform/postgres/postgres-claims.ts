import type pg from 'pg';
import { type Claim, CLAIM_SECONDS, type Claims } from './claims.ts';
import { WITHOUT_FLUSH } from './transaction.ts';

/** One statement per operation; `claim_slot` and `claim_next` wait for each other by owner and kind. */
export class PostgresClaims implements Claims {
  private readonly output: string;

  /**
   * `flush`: a claim survives a crash before the event that needs it is appended, as it must where the events are in another store. Where the log is in the
   * same database, the append makes the claim durable.
   */
  constructor(
    private readonly pool: pg.Pool,
    private readonly flush = true,
  ) {
    this.output = flush ? '' : `RETURNING ${WITHOUT_FLUSH}`;
  }

  async claim(kind: string, key: string, holder: string, seconds = CLAIM_SECONDS): Promise<boolean> {
    const text = `
      INSERT INTO claim (kind, key, holder, expires)
      VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')
      ON CONFLICT (kind, key) DO UPDATE SET expires = CASE WHEN claim.expires IS NOT NULL THEN excluded.expires END
      WHERE claim.holder = excluded.holder ${this.output}`;
    return (await this.change('claim', text, [kind, key, holder, seconds])) === 1;
  }

  async claimSlot(kind: string, owner: string, max: number | null, holder: string, seconds = CLAIM_SECONDS): Promise<string | null> {
    const { rows } = await this.pool.query<{ key: string | null }>({
      name: `claim-slot-${String(this.flush)}`,
      text: `SELECT claim_slot($1, $2, $3, $4, $5) AS key${this.flush ? '' : `, ${WITHOUT_FLUSH}`}`,
      values: [kind, owner, max, holder, seconds],
    });
    return rows[0]?.key ?? null;
  }

  async slotsTaken(kind: string, owner: string): Promise<number> {
    const { rows } = await this.pool.query<{ taken: string }>('SELECT taken FROM slot_count WHERE kind = $1 AND owner = $2', [kind, owner]);
    return Number(rows[0]?.taken ?? 0);
  }

  async claimNext(kind: string, holder: string): Promise<number> {
    const { rows } = await this.pool.query<{ n: string }>('SELECT claim_next($1, $2) AS n', [kind, holder]);
    return Number(rows[0]?.n);
  }

  async keep(kind: string, key: string, holder: string): Promise<boolean> {
    const text = `UPDATE claim SET expires = NULL WHERE kind = $1 AND key = $2 AND holder = $3 ${this.output}`;
    return (await this.change('claim-keep', text, [kind, key, holder])) === 1;
  }

  async release(kind: string, key: string, holder: string): Promise<void> {
    const text = `DELETE FROM claim WHERE kind = $1 AND key = $2 AND holder = $3 ${this.output}`;
    await this.change('claim-release', text, [kind, key, holder]);
  }

  async releaseAll(kind: string, holder: string): Promise<void> {
    await this.change('claim-release-all', `DELETE FROM claim WHERE kind = $1 AND holder = $2 ${this.output}`, [kind, holder]);
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

  /** Answers the number of changed rows. */
  private async change(name: string, text: string, values: readonly unknown[]): Promise<number | null> {
    const { rowCount } = await this.pool.query({ name: `${name}-${String(this.flush)}`, text, values: [...values] });
    return rowCount;
  }
}
