import type pg from 'pg';
import { readLogRows } from '../event-store/log-rows.ts';
import type { LogEvent } from '../kernel/event.ts';
import { UUID_PATTERN } from '../kernel/ids.ts';

export interface LogSearch {
  /** Strictly after this `n`. */
  readonly after: number;
  /** Strictly before this `n`. */
  readonly before: number;
  readonly scope: string | null;
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
export class LogSearcher {
  constructor(private readonly pool: pg.Pool) {}

  find({ after, before, scope, types, stream, actors, direction, limit }: LogSearch): Promise<readonly LogEvent[]> {
    const values: unknown[] = [after, before, limit];
    const conditions = ['n > $1', 'n < $2'];
    const add = (condition: (parameter: string) => string, value: unknown): void => {
      values.push(value);
      conditions.push(condition(`$${String(values.length)}`));
    };
    if (scope !== null) add((parameter) => `scope = ${parameter}`, scope);
    const inScope = scope === null ? null : `hashtextextended($${String(values.length)}, 0)`;
    if (stream !== null) add((parameter) => `stream = ${parameter}`, stream);
    // Those of an actor are mostly fewer than those of a type.
    const filter = actors.length > 0 ? 'actor' : types.length > 0 ? 'type' : null;
    if (filter === 'actor' && types.length > 0) add((parameter) => `type = ANY (${parameter}::text[])`, types);
    const way = direction === 'asc' ? 'ASC' : 'DESC';
    let from = 'log';
    if (filter !== null) {
      values.push(filter === 'actor' ? actors : types);
      const of = EXPRESSIONS[filter];
      const indexed = inScope === null ? of : `hashtextextended(${of}, hashtextextended(scope, 0))`;
      const wanted = inScope === null ? 'wanted.value' : `hashtextextended(wanted.value, ${inScope})`;
      // Row comparison, so that only one index fits: by averages the planner would look for a rare value among all events.
      conditions.push(`(${indexed}, n) > (${wanted}, $1)`, `(${indexed}, n) < (${wanted}, $2)`, `${of} = wanted.value`);
      const found = `SELECT * FROM log WHERE ${conditions.join(' AND ')} ORDER BY ${indexed} ${way}, n ${way} LIMIT $3`;
      from = `(SELECT DISTINCT value FROM unnest($${String(values.length)}::text[]) AS given(value)) AS wanted CROSS JOIN LATERAL (${found}) AS log`;
    }
    const shape = `${direction}_${scope === null ? 'n' : 's'}${types.length > 0 ? 't' : ''}${stream === null ? '' : 'm'}${actors.length > 0 ? 'a' : ''}`;
    return readLogRows(this.pool, {
      name: `search_log_${shape}`,
      rows: `SELECT log.* FROM ${from} ${filter === null ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY n ${way} LIMIT $3`,
      values,
    });
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
