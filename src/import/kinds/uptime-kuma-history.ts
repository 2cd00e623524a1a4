import { StartRefused } from '../../kernel/start-refused.ts';
import type { ImportFindings } from '../findings.ts';
import { CountedDays } from '../counted-days.ts';
import { readSqlite } from '../sqlite/read-sqlite.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import { SECOND_MS } from '../../kernel/time.ts';

/** The states of a heartbeat that count: pending and maintenance are neither. */
const [DOWN, UP] = [0, 1];
/** A large history takes longer than Kuma waits between two checkpoints. */
const PATIENCE = { attempts: 3, waitMs: 1_000 };

/** The days that Kuma counted for each monitor, by its id, each from the table that has most of it. */
export async function daysOfKuma(path: string, findings: ImportFindings): Promise<ReadonlyMap<unknown, CountedDays>> {
  try {
    return await readSqlite(path, daysIn, PATIENCE);
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    findings.miss('all monitors', `history: ${error.message.slice(path.length + 2)}`);
    return new Map();
  }
}

/** Kuma keeps few heartbeats; version 2 puts the older ones into sums of hours and days. */
function daysIn(database: SqliteDatabase): ReadonlyMap<unknown, CountedDays> {
  const all = new Map<unknown, CountedDays>();
  const days = (monitor: unknown): CountedDays => {
    const known = all.get(monitor) ?? new CountedDays();
    all.set(monitor, known);
    return known;
  };
  for (const { monitor_id: monitor, status, time } of database.rows('heartbeat', ['monitor_id', 'status', 'time']))
    if (status === UP || status === DOWN)
      days(monitor).add('heartbeat', Date.parse(`${String(time).replace(' ', 'T')}Z`), status, 1 - status);
  for (const table of ['stat_minutely', 'stat_hourly', 'stat_daily'])
    for (const { monitor_id: monitor, timestamp, up, down } of database.rows(table, ['monitor_id', 'timestamp', 'up', 'down']))
      days(monitor).add(table, Number(timestamp) * SECOND_MS, Number(up), Number(down));
  return all;
}
