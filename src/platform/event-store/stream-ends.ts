import type pg from 'pg';
import type { StreamEnd } from './event-store.ts';

/** One index lookup for each stream. */
const ENDS = `
  SELECT wanted.stream, last.revision, last.id FROM unnest($1::text[]) AS wanted (stream)
  CROSS JOIN LATERAL (SELECT l.revision, l.id FROM log l WHERE l.stream = wanted.stream ORDER BY l.revision DESC LIMIT 1) AS last`;

/** The ends of streams as the log holds them. */
export async function readStreamEnds(db: Pick<pg.Pool, 'query'>, streams: readonly string[]): Promise<ReadonlyMap<string, StreamEnd>> {
  const { rows } = await db.query<{ stream: string; revision: string; id: string }>({ name: 'stream_ends', text: ENDS, values: [streams] });
  return new Map(rows.map(({ stream, revision, id }) => [stream, { revision: Number(revision), id }]));
}
