import type pg from 'pg';
import { readLogRows } from '../event-store/log-rows.ts';
import type { LogEvent } from '../kernel/event.ts';
import { UUID } from '../kernel/ids.ts';

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

/** Finds events by what they say of themselves. The log's own order makes a place in it a stable cursor while writes go on. */
export class LogSearcher {
  constructor(private readonly pool: pg.Pool) {}

  find({ after, before, scope, types, stream, actors, direction, limit }: LogSearch): Promise<readonly LogEvent[]> {
    const values: unknown[] = [after, before, limit];
    const conditions = ['n > $1', 'n < $2'];
    const add = (condition: (place: string) => string, value: unknown): void => {
      values.push(value);
      conditions.push(condition(`$${String(values.length)}`));
    };
    if (scope !== null) add((place) => `scope = ${place}`, scope);
    if (types.length > 0) add((place) => `type = ANY (${place}::text[])`, types);
    if (stream !== null) add((place) => `stream = ${place}`, stream);
    if (actors.length > 0) add((place) => `meta::json -> 'actor' ->> 'id' = ANY (${place}::text[])`, actors);
    const shape = `${direction}_${scope === null ? 'n' : 's'}${types.length > 0 ? 't' : ''}${stream === null ? '' : 'm'}${actors.length > 0 ? 'a' : ''}`;
    return readLogRows(this.pool, {
      name: `search_log_${shape}`,
      rows: `SELECT * FROM log WHERE ${conditions.join(' AND ')} ORDER BY n ${direction === 'asc' ? 'ASC' : 'DESC'} LIMIT $3`,
      values,
    });
  }

  /**
   * The events of one scope that share the chain of this one, in order; none when the event is not of the scope. A chain has the id of what began it;
   * what followed is found by the index `log_by_chain`, which knows it in these very words.
   */
  chain(scope: string, eventId: string): Promise<readonly LogEvent[]> {
    return readLogRows(this.pool, {
      name: 'log_chain',
      rows: `
        WITH asked AS (SELECT substring(meta from '"correlationId":"([^"]+)"') AS chain FROM log WHERE id = $2 AND scope = $1)
        SELECT log.* FROM asked JOIN log ON log.id IN ($2::uuid, (CASE WHEN chain ~ '${UUID.source}' THEN chain END)::uuid) WHERE log.scope = $1
        UNION
        SELECT log.* FROM asked JOIN log ON substring(log.meta from '"correlationId":"([^"]+)"') = chain
        WHERE log.scope = $1 AND log.meta NOT LIKE '%"causationId":null%'
        ORDER BY n`,
      values: [scope, eventId],
    });
  }

  /** Where an event of this scope stands; null when there is none such. */
  async placeOf(scope: string, eventId: string): Promise<number | null> {
    const { rows } = await this.pool.query<{ n: string }>({
      name: 'log_place',
      text: 'SELECT n FROM log WHERE id = $1 AND scope = $2',
      values: [eventId, scope],
    });
    return rows[0] === undefined ? null : Number(rows[0].n);
  }
}
