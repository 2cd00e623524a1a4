import type pg from 'pg';

/** What waits in one scope. */
export interface Line {
  readonly scope: string;
  /** The first event of it, by its place in the log. */
  readonly n: number;
}

export interface SetAsideStanding {
  readonly events: number;
  readonly scopes: number;
  /** One of the scopes, for somebody who has to begin somewhere. */
  readonly first: string | null;
  /** How long the first of the events has waited. */
  readonly seconds: number;
}

/** Events that cannot be told of yet, because what they are about cannot be read: a line for each scope, in the order of the log. */
export class SetAside {
  constructor(private readonly db: Pick<pg.ClientBase, 'query'>) {}

  async scopes(): Promise<ReadonlySet<string>> {
    const { rows } = await this.db.query<{ scope: string }>('SELECT DISTINCT scope FROM notifier_set_aside');
    return new Set(rows.map(({ scope }) => scope));
  }

  async add(events: readonly Line[]): Promise<void> {
    await this.db.query('INSERT INTO notifier_set_aside (n, scope) SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING', [
      events.map(({ n }) => n),
      events.map(({ scope }) => scope),
    ]);
  }

  /** The lines behind `scope`, by name. */
  async lines(after: string, limit: number): Promise<readonly Line[]> {
    const { rows } = await this.db.query<{ scope: string; n: string }>(
      'SELECT scope, min(n) AS n FROM notifier_set_aside WHERE scope > $1 GROUP BY scope ORDER BY scope LIMIT $2',
      [after, limit],
    );
    return rows.map(({ scope, n }) => ({ scope, n: Number(n) }));
  }

  async of(scope: string, limit: number): Promise<readonly number[]> {
    const { rows } = await this.db.query<{ n: string }>('SELECT n FROM notifier_set_aside WHERE scope = $1 ORDER BY n LIMIT $2', [
      scope,
      limit,
    ]);
    return rows.map(({ n }) => Number(n));
  }

  async taken(ns: readonly number[]): Promise<void> {
    await this.db.query('DELETE FROM notifier_set_aside WHERE n = ANY ($1::bigint[])', [ns]);
  }

  async standing(): Promise<SetAsideStanding> {
    const { rows } = await this.db.query<SetAsideStanding>(
      `SELECT count(*)::int AS events, count(DISTINCT scope)::int AS scopes, min(scope) AS first,
         coalesce(extract(epoch FROM clock_timestamp() - min(since)), 0)::float8 AS seconds FROM notifier_set_aside`,
    );
    return rows[0] ?? { events: 0, scopes: 0, first: null, seconds: 0 };
  }

  /** How many events wait in each of these scopes. */
  async counts(scopes: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.db.query<{ scope: string; events: number }>(
      'SELECT scope, count(*)::int AS events FROM notifier_set_aside WHERE scope = ANY ($1::text[]) GROUP BY scope',
      [scopes],
    );
    return new Map(rows.map(({ scope, events }) => [scope, events]));
  }
}
