import type pg from 'pg';
import type { StreamEvent } from '../../kernel/event.ts';
import { readStreamRows } from '../log-rows.ts';

/** The last event of a stream up to a position of the store, as the log mirrors it; null without one. */
export type MirroredEnd = (stream: string, until: string) => Promise<StreamEvent | null>;

/** The server numbers the events of a stream by revision only; which one stood last at a position, the mirror knows. The search goes backward. */
const LAST_UNTIL = `SELECT * FROM log WHERE stream = $1 AND source_position <= $2 COLLATE "C" ORDER BY revision DESC LIMIT 1`;

export const mirroredEnd =
  (pool: pg.Pool): MirroredEnd =>
  async (stream, until) => {
    const [last] = await readStreamRows(pool, { name: 'mirrored_end', rows: LAST_UNTIL, values: [stream, until] });
    return last ?? null;
  };
