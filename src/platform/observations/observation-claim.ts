import type pg from 'pg';
import { StartRefused } from '../../kernel/start-refused.ts';
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

type Queryable = Pick<pg.ClientBase, 'query'>;

/** Before its tables are created: in the database of the log, or of another one, a move would copy observations onto themselves. */
export async function refuseDatabaseOfLog(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ found: boolean }>(`SELECT to_regclass('log') IS NOT NULL AS found`);
  if (rows[0]?.found === true)
    throw new StartRefused('OBSERVATIONS_URL: holds the log of an installation; observations need a database of their own');
}

/** Two installations must not share a database of observations. */
export async function claimObservations(db: Queryable, installation: string): Promise<void> {
  await db.query('INSERT INTO observation_home (installation) VALUES ($1) ON CONFLICT DO NOTHING', [installation]);
  const { rows } = await db.query<{ installation: string }>('SELECT installation FROM observation_home');
  const owner = rows[0]?.installation;
  if (owner !== installation)
    throw new StartRefused(
      `OBSERVATIONS_URL: holds the observations of another installation (${owner ?? 'unknown'}), not of ${installation}`,
    );
}
