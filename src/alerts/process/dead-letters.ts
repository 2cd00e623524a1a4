import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';

export interface DeadLetter {
  readonly scope: string;
  /** The event's position in the log. */
  readonly n: number;
}

export interface DeadLetterStatus {
  readonly events: number;
  readonly scopes: number;
  /** One of the scopes, as a starting point for the operator. */
  readonly first: string | null;
  /** Age of the oldest dead letter. */
  readonly seconds: number;
}

/** Dead letters of the notification process: events whose recipients cannot be read yet, one queue per scope in log order. */
@Injectable()
export class DeadLetters {
  constructor(@Inject(pg.Pool) private readonly db: Pick<pg.ClientBase, 'query'>) {}

  async scopes(): Promise<ReadonlySet<string>> {
    const { rows } = await this.db.query<{ scope: string }>('SELECT DISTINCT scope FROM notifier_set_aside');
    return new Set(rows.map(({ scope }) => scope));
  }

  async add(events: readonly DeadLetter[]): Promise<void> {
    await this.db.query('INSERT INTO notifier_set_aside (n, scope) SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING', [
      events.map(({ n }) => n),
      events.map(({ scope }) => scope),
    ]);
  }

  /** The first dead letter of each scope, for the scopes that sort behind `after`. */
  async firstPerScope(after: string, limit: number): Promise<readonly DeadLetter[]> {
    const { rows } = await this.db.query<{ scope: string; n: string }>(
      'SELECT scope, min(n) AS n FROM notifier_set_aside WHERE scope > $1 GROUP BY scope ORDER BY scope LIMIT $2',
      [after, limit],
    );
    return rows.map(({ scope, n }) => ({ scope, n: Number(n) }));
  }

  async ofScope(scope: string, limit: number): Promise<readonly number[]> {
    const { rows } = await this.db.query<{ n: string }>('SELECT n FROM notifier_set_aside WHERE scope = $1 ORDER BY n LIMIT $2', [
      scope,
      limit,
    ]);
    return rows.map(({ n }) => Number(n));
  }

  async remove(positions: readonly number[]): Promise<void> {
    await this.db.query('DELETE FROM notifier_set_aside WHERE n = ANY ($1::bigint[])', [positions]);
  }

  async status(): Promise<DeadLetterStatus> {
    const { rows } = await this.db.query<DeadLetterStatus>(
      `SELECT count(*)::int AS events, count(DISTINCT scope)::int AS scopes, min(scope) AS first,
         coalesce(extract(epoch FROM clock_timestamp() - min(since)), 0)::float8 AS seconds FROM notifier_set_aside`,
    );
    return rows[0] ?? { events: 0, scopes: 0, first: null, seconds: 0 };
  }

  async countByScope(scopes: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.db.query<{ scope: string; events: number }>(
      'SELECT scope, count(*)::int AS events FROM notifier_set_aside WHERE scope = ANY ($1::text[]) GROUP BY scope',
      [scopes],
    );
    return new Map(rows.map(({ scope, events }) => [scope, events]));
  }
}
