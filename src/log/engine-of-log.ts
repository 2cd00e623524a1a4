import type pg from 'pg';

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
