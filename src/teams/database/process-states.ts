import type pg from 'pg';

/** Reasons are shown to operators. */
const MAX_REASON = 1_000;

/** How the processes of packages ended, where every instance can show it (`/ops/projections`). */
export class ProcessStates {
  constructor(private readonly db: pg.Pool) {}

  async noteEnd(team: string, projections: readonly string[], reason: string): Promise<void> {
    await this.db.query(
      `INSERT INTO team_process AS p SELECT name, $2, 1, now(), $3, true FROM unnest($1::text[]) AS name
       ON CONFLICT (projection) DO UPDATE SET package = excluded.package, ends = p.ends + 1, ended_at = now(), reason = excluded.reason, is_down = true`,
      [projections, team, reason.slice(0, MAX_REASON)],
    );
  }

  async noteRunning(projections: readonly string[]): Promise<void> {
    await this.db.query('UPDATE team_process SET is_down = false WHERE projection = ANY($1::text[]) AND is_down', [projections]);
  }
}
