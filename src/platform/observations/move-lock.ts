import type pg from 'pg';
import { ADVISORY_LOCKS } from '../postgres/advisory-locks.ts';

/**
 * One move of the observations at a time, in the session that also leaves its marks in the database of the log: where the session ends, the checkers go on,
 * and the move can mark nothing any more. False while another holds it.
 */
export async function tryMoveLock(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [ADVISORY_LOCKS.observationsMove]);
  return rows[0]?.locked === true;
}

/** A condition, in the database of the log: a process holds the lock. */
export const MOVE_IS_UNDER_WAY = `EXISTS (
  SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = ${String(ADVISORY_LOCKS.observationsMove)} AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
