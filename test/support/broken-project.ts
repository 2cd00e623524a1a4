import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/** Appends an event to a project as a bug could write it: a new title that is missing, or another event without its data. Only to an embedded log. */
export async function breakProject(pool: pg.Pool, projectId: string, eventId: string, type = 'ProjectRenamed'): Promise<void> {
  await pool.query(
    `INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
     SELECT last.n + 1, (last.n + 1)::text, $1, $2, (SELECT max(revision) + 1 FROM log WHERE stream = $2), $4, 1, $2,
       clock_timestamp(), 'null', $3
     FROM (SELECT pg_advisory_xact_lock(727002), max(n) AS n FROM log) AS last`,
    [
      eventId,
      `project-${projectId}`,
      JSON.stringify({
        ...{ actor: { kind: 'user', id: '1' }, correlationId: eventId, causationId: null, commandId: randomUUID() },
        occurredAt: new Date().toISOString(),
      }),
      type,
    ],
  );
}
