import type pg from 'pg';
import { isFed } from '../engine/schema-names.ts';

/** A row of the table `projection`. */
export interface ProjectionSchema {
  readonly schema: string;
  readonly name: string;
  readonly version: string;
  readonly state: 'building' | 'live' | 'failed';
  readonly paused: boolean;
  readonly n: number;
  readonly total: number | null;
  readonly error: string | null;
  readonly createdAt: Date;
  /** Age in seconds of the oldest event that it has not applied. */
  readonly lag: number;
  /** The number of parked events, by view. */
  readonly parked: Readonly<Record<string, number>>;
  /** The schema in use that this rebuild will replace. */
  readonly successorOf: string | null;
  /** An instance feeds it, or did so a moment ago. */
  readonly fed: boolean;
  /** Null when it never ended, or the code runs in the service. */
  readonly process: ProcessEnds | null;
}

/** How often the process of a team's package ended by itself, and why it did the last time. */
export interface ProcessEnds {
  readonly ends: number;
  readonly endedAt: string;
  readonly reason: string;
  readonly isDown: boolean;
}

export interface ProjectionSnapshot {
  readonly at: number;
  readonly head: number;
  readonly schemas: readonly ProjectionSchema[];
}

const TEXT = `SELECT p.schema, p.name, p.version, p.state, p.paused, p.n::float8, p.total::float8, p.error, p.created_at AS "createdAt",
    greatest(coalesce(extract(epoch FROM clock_timestamp() - (SELECT recorded_at FROM log WHERE log.n = p.n + 1)), 0), 0)::float8 AS lag,
    coalesce((SELECT json_object_agg(view, count) FROM (SELECT view, count(*) FROM projection_parked k WHERE k.schema = p.schema GROUP BY view) AS c), '{}') AS parked,
    (SELECT o.schema FROM projection o WHERE o.schema || '_next' = p.schema) AS "successorOf",
    ${isFed('p.schema')} AS fed,
    (SELECT json_build_object('ends', t.ends, 'endedAt', to_char(t.ended_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reason', t.reason, 'isDown', t.is_down)
      FROM team_process t WHERE t.projection = p.name) AS process,
    (SELECT coalesce(max(n), -1) FROM log)::float8 AS head
  FROM projection p ORDER BY p.name, p.created_at`;

/** Every projection at one instant. */
export async function readProjections(db: pg.Pool): Promise<ProjectionSnapshot> {
  const { rows } = await db.query<ProjectionSchema & { readonly head: number }>({ name: 'projection_snapshot', text: TEXT });
  return { at: Date.now(), head: rows[0]?.head ?? -1, schemas: rows };
}
