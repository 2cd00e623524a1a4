import type pg from 'pg';

/** The window for counting failed logins and mailed links (docs/spec/decisions.md#G12). */
export const LOGIN_WINDOW_SECONDS = 15 * 60;

/** Windows of several lengths share the table. */
const LONGEST_WINDOW_SECONDS = 86_400;

/** A fixed-window rate limit over all instances: failed attempts by key, in a window that starts with the first of them. */
export class TryStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly windowSeconds: number,
  ) {}

  /** Seconds until the window ends when any of the keys has reached its limit, else 0. */
  async secondsToWait(limits: ReadonlyMap<string, number>): Promise<number> {
    const { rows } = await this.pool.query<{ key: string; failed: number; left: number }>({
      name: 'tries-wait',
      text: `
        SELECT key, failed, ceil(extract(epoch FROM since + make_interval(secs => $2) - now()))::int AS left
        FROM tries WHERE key = ANY($1) AND since > now() - make_interval(secs => $2)`,
      values: [[...limits.keys()], this.windowSeconds],
    });
    const full = rows.filter(({ key, failed }) => failed >= (limits.get(key) ?? Infinity));
    return Math.max(0, ...full.map(({ left }) => Math.max(1, left)));
  }

  async recordFailure(keys: readonly string[]): Promise<void> {
    await this.pool.query({
      name: 'tries-failed',
      text: `
        INSERT INTO tries AS known (key, failed) SELECT key, 1 FROM unnest($1::text[]) AS key ORDER BY key
        ON CONFLICT (key) DO UPDATE SET
          failed = CASE WHEN known.since > now() - make_interval(secs => $2) THEN known.failed + 1 ELSE 1 END,
          since  = CASE WHEN known.since > now() - make_interval(secs => $2) THEN known.since ELSE now() END`,
      values: [keys, this.windowSeconds],
    });
  }

  /** Counts and checks the limit atomically, so that concurrent attempts cannot exceed it. False: over the limit. */
  async recordAttempt(key: string, limit: number): Promise<boolean> {
    const { rows } = await this.pool.query<{ within: boolean }>({
      name: 'tries-take',
      text: `
        INSERT INTO tries AS known (key, failed) VALUES ($1, 1)
        ON CONFLICT (key) DO UPDATE SET
          failed = CASE WHEN known.since > now() - make_interval(secs => $2) THEN least(known.failed + 1, $3 + 1) ELSE 1 END,
          since  = CASE WHEN known.since > now() - make_interval(secs => $2) THEN known.since ELSE now() END
        RETURNING failed <= $3 AS within`,
      values: [key, this.windowSeconds, limit],
    });
    return rows[0]?.within === true;
  }

  async forgetOld(): Promise<void> {
    await this.pool.query('DELETE FROM tries WHERE since < now() - make_interval(secs => $1)', [LONGEST_WINDOW_SECONDS]);
  }
}
