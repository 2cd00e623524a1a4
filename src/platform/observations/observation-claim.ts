import type pg from 'pg';
import { StartRefused } from '../../kernel/start-refused.ts';

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
