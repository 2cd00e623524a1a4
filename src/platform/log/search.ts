import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { StoredEvent } from '../event-store/lazy-event.ts';
import { readLogRows, readStoredRows } from '../event-store/log-rows.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { READ_DATABASE } from '../postgres/pool.ts';
import { UUID_PATTERN } from '../../kernel/ids.ts';

export interface LogSearch {
  /** Strictly after this `n`. */
  readonly after: number;
  /** Strictly before this `n`. */
  readonly before: number;
  /** Null for all. */
  readonly scopes: readonly string[] | null;
  readonly types: readonly string[];
  readonly stream: string | null;
  /** Ids of actors. */
  readonly actors: readonly string[];
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
}

/** As in the indexes `log_by_type`, `log_by_actor`, and within a scope `log_by_scope_type`, `log_by_scope_actor`. */
const EXPRESSIONS = { type: 'type', actor: `(meta::json -> 'actor' ->> 'id')` } as const;

/** Filters the log; `n` is a stable cursor while writes continue. */
@Injectable()
export class LogSearcher {
  constructor(@Inject(READ_DATABASE) private readonly pool: pg.Pool) {}

  find(search: LogSearch): Promise<readonly LogEvent[]> {
    return readLogRows(this.pool, rowsOf(search, 'log.*'));
  }

  findStored(search: LogSearch): Promise<readonly StoredEvent[]> {
    return readStoredRows(this.pool, rowsOf(search, 'log.*'));
  }

  /** How many events a reader of these scopes and types has not read yet, `most` at most, and when the first of them was recorded. */
  async backlog(
    { after, scopes, types }: Pick<LogSearch, 'after' | 'scopes' | 'types'>,
    most: number,
  ): Promise<{ readonly events: number; readonly since: Date | null }> {
    const all = { before: Number.MAX_SAFE_INTEGER, stream: null, actors: [], direction: 'asc', limit: most } as const;
    const { name, rows, values } = rowsOf({ ...all, after, scopes, types }, 'log.n, log.recorded_at');
    const text = `SELECT count(*)::int AS events, min(recorded_at) AS since FROM (${rows}) AS unread`;
    const { rows: counted } = await this.pool.query<{ events: number; since: Date | null }>({ name: `backlog_${name}`, text, values });
    return counted[0] ?? { events: 0, since: null };
  }

  /**
   * The events of one scope with the same correlation id as this one, in order; none when the event is not in the scope. The correlation id is the id of
   * the chain's first event; later ones are found by the expression index `log_by_chain`, whose expressions this query must repeat literally.
   */
  chain(scope: string, eventId: string): Promise<readonly LogEvent[]> {
    return readLogRows(this.pool, {
      name: 'log_chain',
      rows: `
        WITH asked AS (SELECT substring(meta from '"correlationId":"([^"]+)"') AS chain FROM log WHERE id = $2 AND scope = $1)
        SELECT log.* FROM asked JOIN log ON log.id IN ($2::uuid, (CASE WHEN chain ~ '${UUID_PATTERN.source}' THEN chain END)::uuid) WHERE log.scope = $1
        UNION
        SELECT log.* FROM asked JOIN log ON substring(log.meta from '"correlationId":"([^"]+)"') = chain
        WHERE log.scope = $1 AND log.meta NOT LIKE '%"causationId":null%'
        ORDER BY n`,
      values: [scope, eventId],
    });
  }

  /** The commits that begin so and were applied to this scope, each with its last event; found by the expression index `log_by_commit`, whose expressions this query must repeat literally. */
  async appliedCommits(scope: string, prefix: string): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.pool.query<{ commit: string; n: string }>({
      name: 'log_commit',
      text: `
        SELECT substring(meta from '"commit":"([0-9a-f]+)"') AS commit, max(n) AS n FROM log
        WHERE scope = $1 AND meta LIKE '%"apply":{%' AND substring(meta from '"commit":"([0-9a-f]+)"') LIKE $2
        GROUP BY 1 LIMIT 2`,
      values: [scope, `${prefix}%`],
    });
    return new Map(rows.map(({ commit, n }) => [commit, Number(n)]));
  }

  /** The `n` of an event of this scope; null when there is none. */
  async nOfEvent(scope: string, eventId: string): Promise<number | null> {
    const { rows } = await this.pool.query<{ n: string }>({
      name: 'log_place',
      text: 'SELECT n FROM log WHERE id = $1 AND scope = $2',
      values: [eventId, scope],
    });
    return rows[0] === undefined ? null : Number(rows[0].n);
  }
}

interface NamedQuery {
  readonly name: string;
  readonly rows: string;
  readonly values: unknown[];
}

function rowsOf({ after, before, scopes, types, stream, actors, direction, limit }: LogSearch, columns: string): NamedQuery {
  const values: unknown[] = [after, before, limit];
  const parameter = (value: unknown): string => `$${String(values.push(value))}`;
  const conditions = ['n > $1', 'n < $2'];
  /** What is looked up in an index for each of its values. */
  const tables: string[] = [];
  const eachOf = (name: string, wanted: readonly string[]): void => {
    tables.push(`(SELECT DISTINCT value FROM unnest(${parameter(wanted)}::text[]) AS given(value)) AS ${name}`);
  };
  // An actor has mostly fewer events than a type.
  const filter = actors.length > 0 ? 'actor' : types.length > 0 ? 'type' : null;
  if (scopes !== null) {
    eachOf('scopes', scopes);
    // Beside a filter it only excludes equal hashes, in a form that no index fits.
    conditions.push(`scope ${filter === null ? '=' : 'IS NOT DISTINCT FROM'} scopes.value`);
  }
  if (stream !== null) conditions.push(`stream = ${parameter(stream)}`);
  if (filter === 'actor' && types.length > 0) conditions.push(`(type = ANY (${parameter(types)}::text[])) IS TRUE`);
  const way = direction === 'asc' ? 'ASC' : 'DESC';
  let order = `n ${way}`;
  if (filter !== null) {
    eachOf('wanted', filter === 'actor' ? actors : types);
    const of = EXPRESSIONS[filter];
    const [indexed, wanted] =
      scopes === null
        ? [of, 'wanted.value']
        : [`hashtextextended(${of}, hashtextextended(scope, 0))`, 'hashtextextended(wanted.value, hashtextextended(scopes.value, 0))'];
    // Row comparison, so that only one index fits: by averages the planner would look for a rare value among all events.
    conditions.push(`(${indexed}, n) > (${wanted}, $1)`, `(${indexed}, n) < (${wanted}, $2)`, `${of} IS NOT DISTINCT FROM wanted.value`);
    order = `${indexed} ${way}, ${order}`;
  }
  const found = `SELECT * FROM log WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT $3`;
  const from = [...tables, `${tables.length > 0 ? 'LATERAL ' : ''}(${found}) AS log`].join(' CROSS JOIN ');
  const shape = `${direction}_${scopes === null ? 'n' : 's'}${types.length > 0 ? 't' : ''}${stream === null ? '' : 'm'}${actors.length > 0 ? 'a' : ''}`;
  return { name: `search_log_${shape}`, rows: `SELECT ${columns} FROM ${from} ORDER BY n ${way} LIMIT $3`, values };
}
