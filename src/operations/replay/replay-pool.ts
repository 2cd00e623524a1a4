import type pg from 'pg';
import type { Resources } from '../../app/resources.ts';
import { openPool } from '../../platform/postgres/pool.ts';

/** Without a limit for statements: a comparison or an index over a large table takes minutes. */
export async function withReplayPool<Result>(
  { databaseUrl, connectionWatch: watch }: Resources,
  work: (db: pg.Pool) => Promise<Result>,
): Promise<Result> {
  const db = openPool(databaseUrl, { name: 'replay', max: 4, statementTimeoutMs: 0, watch });
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}
