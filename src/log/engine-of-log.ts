import type pg from 'pg';
import { StartRefused } from '../kernel/start-refused.ts';

export type LogEngine = 'postgres' | 'kurrentdb';

/** Which engine filled the log, told by how it writes positions; null while the log is empty or was never made. */
export async function engineOfLog(db: Pick<pg.ClientBase, 'query'>): Promise<LogEngine | null> {
  const { rows: there } = await db.query<{ there: boolean }>(`SELECT to_regclass('log') IS NOT NULL AS there`);
  if (there[0]?.there !== true) return null;
  const { rows } = await db.query<{ position: string }>('SELECT source_position AS position FROM log ORDER BY n DESC LIMIT 1');
  const position = rows[0]?.position;
  if (position === undefined) return null;
  return /^\d+$/.test(position) ? 'postgres' : 'kurrentdb';
}

/** Events that one engine appended behind those of another would be in neither's history. */
export async function refuseOtherEngine(db: Pick<pg.ClientBase, 'query'>, engine: LogEngine): Promise<void> {
  const present = await engineOfLog(db);
  if (present === null || present === engine) return;
  throw new StartRefused(
    present === 'kurrentdb'
      ? 'the events of this database are kept by an event store: set EVENTSTORE_URL to it'
      : 'the events of this database are kept in Postgres: start without EVENTSTORE_URL',
  );
}
