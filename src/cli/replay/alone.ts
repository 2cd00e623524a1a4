import type pg from 'pg';
import { StartRefused } from '../../kernel/start-refused.ts';
import { ADVISORY_LOCKS } from '../../persistence/advisory-locks.ts';

/** Two replays at once would take each other's tables away. The lock ends with the connection, whatever becomes of the process. */
export async function alone<T>(db: pg.Pool, work: () => Promise<T>): Promise<T> {
  const client = await db.connect();
  try {
    const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [ADVISORY_LOCKS.replay]);
    if (rows[0]?.got !== true) throw new StartRefused('another replay is under way on this database');
    return await work();
  } finally {
    client.release(true);
  }
}
