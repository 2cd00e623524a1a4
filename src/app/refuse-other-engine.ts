import type pg from 'pg';
import { engineOfLog, type LogEngine } from '../log/engine-of-log.ts';
import { StartRefused } from './start-refused.ts';

/** Events that one engine appended behind those of another would be in neither's history. */
export async function refuseOtherEngine(db: Pick<pg.ClientBase, 'query'>, engine: LogEngine): Promise<void> {
  const there = await engineOfLog(db);
  if (there === null || there === engine) return;
  throw new StartRefused(
    there === 'kurrentdb'
      ? 'the events of this database are kept by an event store: set EVENTSTORE_URL to it'
      : 'the events of this database are kept in Postgres: start without EVENTSTORE_URL',
  );
}
