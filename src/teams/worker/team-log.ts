import type pg from 'pg';
import { readLogRows } from '../../platform/event-store/log-rows.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log, LogQuery } from '../../platform/log/log.ts';

/** The log as far as the database role of a team may read it: the events that its projections handle; of others, their places only (`teams.tables.ts`). */
export class TeamLog implements Pick<Log, 'read' | 'head' | 'at'> {
  constructor(private readonly pool: pg.Pool) {}

  read({ after, until = Number.MAX_SAFE_INTEGER, scope, types, limit, bytes, isLazy }: LogQuery): Promise<readonly LogEvent[]> {
    if (scope === undefined) {
      const rows = 'SELECT * FROM public.team_log($1, $2, $3)';
      return readLogRows(this.pool, { name: 'team_log', rows, values: [after, until, limit], isLazy });
    }
    const rows = 'SELECT * FROM public.team_log_of_scope($1, $2, $3, $4, $5, $6)';
    const values = [scope, after, until, limit, types ?? null, bytes ?? null];
    return readLogRows(this.pool, { name: 'team_log_of_scope', rows, values, isLazy });
  }

  async head(): Promise<number> {
    return this.position({ name: 'team_log_head', text: 'SELECT public.team_log_head() AS n' });
  }

  async at(instant: string): Promise<number> {
    // Just before the year 1, which Postgres cannot parse.
    if (instant.startsWith('0000')) return -1;
    return this.position({ name: 'team_log_at', text: 'SELECT public.team_log_at($1) AS n', values: [instant] });
  }

  private async position(query: pg.QueryConfig): Promise<number> {
    const { rows } = await this.pool.query<{ n: string | null }>(query);
    return Number(rows[0]?.n ?? -1);
  }
}
