import type pg from 'pg';
import type { Lease } from '../persistence/leases.ts';
import { isoMicroseconds } from '../kernel/instants.ts';
import { BEFORE_THE_FIRST, type Entry, type MirrorRow, type Tail } from './mirror-rows.ts';

/** The mirror's own end of the table: where it stands, and adding to it as long as the lease is ours. */
export async function readTail(pool: pg.Pool): Promise<Tail> {
  const { rows } = await pool.query<{ n: string; source_position: string; id: string; recorded_at: string }>({
    name: 'mirror_tail',
    text: `
      SELECT n, source_position, id, (extract(epoch FROM recorded_at) * 1000000)::bigint AS recorded_at
      FROM log ORDER BY n DESC LIMIT 1`,
  });
  const last = rows[0];
  if (last === undefined) return BEFORE_THE_FIRST;
  return { n: Number(last.n), position: last.source_position, id: last.id, recordedAt: Number(last.recorded_at) };
}

/** Whether the table still has the row that we stand on: a crash of the database takes what did not wait for its disk. */
export async function hasTail(pool: pg.Pool, { n, id }: Tail): Promise<boolean> {
  if (n < 0) return true;
  const { rowCount } = await pool.query({ name: 'mirror_stands', text: 'SELECT FROM log WHERE n = $1 AND id = $2', values: [n, id] });
  return rowCount === 1;
}

/**
 * The lease is looked at in the statement that writes: it stays ours until that ends, or nothing is written. Nor is anything written behind a
 * row that is no longer there, or where an event would stand in its stream without the one before it.
 */
const INSERT = `
  WITH held AS (SELECT FROM lease WHERE name = $1 AND epoch = $2 AND holder IS NOT NULL FOR KEY SHARE)
  INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
  SELECT $3::bigint + place, position, id, stream, revision, type, version, scope, moment, data, meta
  FROM unnest($4::text[], $5::uuid[], $6::text[], $7::bigint[], $8::text[], $9::smallint[], $10::text[], $11::timestamptz[],
              string_to_array($12, E'\\n'), string_to_array($13, E'\\n'))
       WITH ORDINALITY AS given(position, id, stream, revision, type, version, scope, moment, data, meta, place)
  WHERE EXISTS (SELECT FROM held)
    AND ($3 < 0 OR EXISTS (SELECT FROM log AS l WHERE l.n = $3 AND l.id = $16))
    AND NOT EXISTS (
      SELECT FROM unnest($14::text[], $15::bigint[]) AS entry(stream, revision)
      WHERE NOT EXISTS (SELECT FROM log AS l WHERE l.stream = entry.stream AND l.revision = entry.revision - 1))`;

/**
 * All or nothing in one statement, behind `tail`; false when the lease went to somebody else, or the table lacks its tail, or an entry its
 * predecessor, and then nothing was written.
 */
export async function writeRows(
  pool: pg.Pool,
  lease: Pick<Lease, 'name' | 'epoch'>,
  tail: Tail,
  rows: readonly MirrorRow[],
  entries: readonly Entry[],
): Promise<boolean> {
  if (rows.length === 0) return true;
  const { rowCount } = await pool.query({
    name: 'mirror_rows',
    text: INSERT,
    values: [
      lease.name,
      lease.epoch,
      tail.n,
      rows.map(({ position }) => position),
      rows.map(({ id }) => id),
      rows.map(({ stream }) => stream),
      rows.map(({ revision }) => revision),
      rows.map(({ type }) => type),
      rows.map(({ version }) => version),
      rows.map(({ scope }) => scope),
      rows.map(({ recordedAt }) => isoMicroseconds(recordedAt)),
      // JSON text holds no line break: lines are cheaper to send and to take apart than an array with its escapes.
      rows.map(({ data }) => data).join('\n'),
      rows.map(({ meta }) => meta).join('\n'),
      entries.map(({ stream }) => stream),
      entries.map(({ revision }) => revision),
      tail.id,
    ],
  });
  return rowCount === rows.length;
}

export interface Hole extends Omit<Entry, 'after'> {
  /** The last revision of the stream before it, in the table or among the same rows; -1 for none. */
  readonly last: number;
}

export async function holesBefore(pool: pg.Pool, entries: readonly Entry[]): Promise<readonly Hole[]> {
  const { rows } = await pool.query<{ stream: string; revision: string; last: string }>(
    `SELECT stream, revision, coalesce(after, (SELECT max(log.revision) FROM log WHERE log.stream = entry.stream), -1) AS last
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS entry(stream, revision, after)
     WHERE NOT EXISTS (SELECT FROM log WHERE log.stream = entry.stream AND log.revision = entry.revision - 1)`,
    [entries.map(({ stream }) => stream), entries.map(({ revision }) => revision), entries.map(({ after }) => after)],
  );
  return rows.map(({ stream, revision, last }) => ({ stream, revision: Number(revision), last: Number(last) }));
}
