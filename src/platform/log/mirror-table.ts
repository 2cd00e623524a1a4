import type pg from 'pg';
import type { FollowedEvent } from '../event-store/event-store.ts';
import { isoMicroseconds } from '../../kernel/instants.ts';
import type { Lease } from '../postgres/leases.ts';

/** The last row of the log. `recordedAt` in microseconds since the epoch. */
export interface MirrorTail {
  readonly n: number;
  readonly position: string | null;
  readonly id: string | null;
  readonly recordedAt: number;
}

export const EMPTY_TAIL: MirrorTail = { n: -1, position: null, id: null, recordedAt: 0 };

export interface MirrorRow {
  readonly n: number;
  readonly position: string;
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly version: number;
  readonly scope: string;
  readonly recordedAt: number;
  readonly data: string;
  readonly meta: string;
}

/**
 * Numbers the store's events: a function of the store's order alone, so that a log rebuilt from nothing is identical, byte for byte. The store's clock may
 * stop or step back; `recordedAt` grows by at least a microsecond.
 */
export function toMirrorRows(tail: MirrorTail, events: readonly FollowedEvent[]): readonly MirrorRow[] {
  let { n, recordedAt } = tail;
  return events.map((event) => {
    n += 1;
    recordedAt = Math.max(Date.parse(event.storedAt) * 1000, recordedAt + 1);
    const { position, id, stream, revision, type, version, scope } = event;
    return {
      n,
      position,
      id,
      stream,
      revision,
      type,
      version,
      scope,
      recordedAt,
      data: JSON.stringify(event.data),
      meta: JSON.stringify(event.meta),
    };
  });
}

export function tailAfter(tail: MirrorTail, rows: readonly MirrorRow[]): MirrorTail {
  const last = rows.at(-1);
  return last ? { n: last.n, position: last.position, id: last.id, recordedAt: last.recordedAt } : tail;
}

export interface StreamEntry {
  readonly stream: string;
  readonly revision: number;
  /** The previous revision of the stream in the same batch, null for the first. */
  readonly after: number | null;
}

/** The events whose predecessor in the stream is not in the batch and therefore must be in the table already. */
export function streamEntriesOf(rows: readonly MirrorRow[]): readonly StreamEntry[] {
  const last = new Map<string, number>();
  return rows.flatMap(({ stream, revision }) => {
    const after = last.get(stream) ?? null;
    last.set(stream, revision);
    return revision === 0 || after === revision - 1 ? [] : [{ stream, revision, after }];
  });
}

export async function readTail(pool: pg.Pool): Promise<MirrorTail> {
  const { rows } = await pool.query<{ n: string; source_position: string; id: string; recorded_at: string }>({
    name: 'mirror_tail',
    text: `
      SELECT n, source_position, id, (extract(epoch FROM recorded_at) * 1000000)::bigint AS recorded_at
      FROM log ORDER BY n DESC LIMIT 1`,
  });
  const last = rows[0];
  if (last === undefined) return EMPTY_TAIL;
  return { n: Number(last.n), position: last.source_position, id: last.id, recordedAt: Number(last.recorded_at) };
}

/** Whether the table still has its last row: the mirror commits asynchronously, so a crash of the database may lose rows. */
export async function hasTail(pool: pg.Pool, { n, id }: MirrorTail): Promise<boolean> {
  if (n < 0) return true;
  const { rowCount } = await pool.query({ name: 'mirror_stands', text: 'SELECT FROM log WHERE n = $1 AND id = $2', values: [n, id] });
  return rowCount === 1;
}

/**
 * Fenced: the lease's fencing token (`epoch`) is checked and locked in the statement that writes. Nothing is written either when the tail row is
 * missing, or when an event's predecessor in its stream is.
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

/** Writes all rows behind `tail` in one statement, or none: false when the lease was lost, the tail row is missing, or an entry lacks its predecessor. */
export async function writeRows(
  pool: pg.Pool,
  lease: Pick<Lease, 'name' | 'epoch'>,
  tail: MirrorTail,
  rows: readonly MirrorRow[],
  entries: readonly StreamEntry[],
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
      // JSON text holds no line break, and lines are cheaper to send and to split than an array with escapes.
      rows.map(({ data }) => data).join('\n'),
      rows.map(({ meta }) => meta).join('\n'),
      entries.map(({ stream }) => stream),
      entries.map(({ revision }) => revision),
      tail.id,
    ],
  });
  return rowCount === rows.length;
}

export interface StreamGap extends Omit<StreamEntry, 'after'> {
  /** The last revision before the gap, in the table or in the batch; -1 for none. */
  readonly last: number;
}

export async function gapsBefore(pool: pg.Pool, entries: readonly StreamEntry[]): Promise<readonly StreamGap[]> {
  const { rows } = await pool.query<{ stream: string; revision: string; last: string }>(
    `SELECT stream, revision, coalesce(after, (SELECT max(log.revision) FROM log WHERE log.stream = entry.stream), -1) AS last
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS entry(stream, revision, after)
     WHERE NOT EXISTS (SELECT FROM log WHERE log.stream = entry.stream AND log.revision = entry.revision - 1)`,
    [entries.map(({ stream }) => stream), entries.map(({ revision }) => revision), entries.map(({ after }) => after)],
  );
  return rows.map(({ stream, revision, last }) => ({ stream, revision: Number(revision), last: Number(last) }));
}
