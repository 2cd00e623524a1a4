import type pg from 'pg';

/** The erasures that were begun: what a crash interrupted is finished by the next start. */
export class Erasures {
  constructor(private readonly pool: pg.Pool) {}

  async begin(userId: number): Promise<void> {
    await this.pool.query('INSERT INTO erasures (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING', [userId]);
  }

  async done(userId: number): Promise<void> {
    await this.pool.query('UPDATE erasures SET done_at = now() WHERE user_id = $1 AND done_at IS NULL', [userId]);
  }

  async unfinished(): Promise<readonly number[]> {
    const { rows } = await this.pool.query<{ user_id: number }>('SELECT user_id FROM erasures WHERE done_at IS NULL ORDER BY begun_at');
    return rows.map((row) => row.user_id);
  }
}
