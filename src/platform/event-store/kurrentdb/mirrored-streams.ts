import type pg from 'pg';
import type { StreamEvent } from '../../../kernel/event.ts';
import type { StreamEnd } from '../event-store.ts';
import { readStreamRows, readStreamEnds } from '../log-rows.ts';

/** What the log, which mirrors the store, knows about streams, and the server answers only by reading them. */
export interface MirroredStreams {
  /** The last event of a stream up to a position of the store; null without one. */
  lastUntil(stream: string, until: string): Promise<StreamEvent | null>;
  ends(streams: readonly string[]): Promise<ReadonlyMap<string, StreamEnd>>;
}

/** The server numbers the events of a stream by revision only; which one stood last at a position, the mirror knows. The search goes backward. */
const LAST_UNTIL = `SELECT * FROM log WHERE stream = $1 AND source_position <= $2 COLLATE "C" ORDER BY revision DESC LIMIT 1`;

export const mirroredStreams = (pool: pg.Pool): MirroredStreams => ({
  lastUntil: async (stream, until) => {
    const [last] = await readStreamRows(pool, { name: 'mirrored_end', rows: LAST_UNTIL, values: [stream, until] });
    return last ?? null;
  },
  ends: (streams) => readStreamEnds(pool, streams),
});
