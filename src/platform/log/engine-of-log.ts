import type pg from 'pg';
import { StartRefused } from '../../kernel/start-refused.ts';

export type LogEngine = 'postgres' | 'kurrentdb';

/** The engine that filled the log, recognised by its position format; null while the log is empty or does not exist. */
export async function engineOfLog(db: Pick<pg.ClientBase, 'query'>): Promise<LogEngine | null> {
  const { rows: tables } = await db.query<{ exists: boolean }>(`SELECT to_regclass('log') IS NOT NULL AS exists`);
  if (tables[0]?.exists !== true) return null;
  const { rows } = await db.query<{ position: string }>('SELECT source_position AS position FROM log ORDER BY n DESC LIMIT 1');
  const position = rows[0]?.position;
  if (position === undefined) return null;
  return /^\d+$/.test(position) ? 'postgres' : 'kurrentdb';
}

/** Two engines must not write one log: the events of the second would be missing from the first's history. */
export async function refuseOtherEngine(db: Pick<pg.ClientBase, 'query'>, engine: LogEngine): Promise<void> {
  const present = await engineOfLog(db);
  if (present === null || present === engine) return;
  throw new StartRefused(
    present === 'kurrentdb'
      ? 'the events of this database are stored in KurrentDB: set EVENTSTORE_URL to that server'
      : 'the events of this database are stored in Postgres: start without EVENTSTORE_URL',
  );
}
