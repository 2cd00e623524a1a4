import type pg from 'pg';

/** Failures that are further apart begin a new count. */
const MEMORY_HOURS = 24;
const LONGEST_PAUSE_MINUTES = 360;

/** Failed logins of an account from networks that it does not use, over all instances. Beyond the limit each failure doubles the pause. */
export class GuessStore {
  constructor(
    private readonly pool: pg.Pool,
    /** 0: no limit. */
    private readonly limit: number,
  ) {}

  /** Seconds until the pause ends, else 0. */
  async secondsToWait(key: string): Promise<number> {
    const { rows } = await this.pool.query<{ left: number }>({
      name: 'guesses-wait',
      text: 'SELECT ceil(extract(epoch FROM paused_until - now()))::int AS left FROM account_guesses WHERE key = $1 AND paused_until > now()',
      values: [key],
    });
    return rows[0] === undefined ? 0 : Math.max(1, rows[0].left);
  }

  /** Answers the number of failures when this one begins the first pause, else null. */
  async recordFailure(key: string): Promise<number | null> {
    if (this.limit === 0) return null;
    const { rows } = await this.pool.query<{ failed: number }>({
      name: 'guesses-failed',
      text: `
        INSERT INTO account_guesses AS known (key, failed) VALUES ($1, 1)
        ON CONFLICT (key) DO UPDATE SET
          failed = CASE WHEN known.last_at > now() - make_interval(hours => $3) THEN known.failed + 1 ELSE 1 END,
          last_at = now(),
          paused_until = CASE WHEN known.last_at > now() - make_interval(hours => $3) AND known.failed + 1 >= $2
            THEN now() + make_interval(mins => least($4, power(2, least(known.failed + 1 - $2, 20)))::int) END
        RETURNING failed`,
      values: [key, this.limit, MEMORY_HOURS, LONGEST_PAUSE_MINUTES],
    });
    const failed = rows[0]?.failed ?? 0;
    return failed === this.limit ? failed : null;
  }

  async forgetOld(): Promise<void> {
    await this.pool.query(
      'DELETE FROM account_guesses WHERE last_at < now() - make_interval(hours => $1) AND (paused_until IS NULL OR paused_until < now())',
      [MEMORY_HOURS],
    );
  }
}
