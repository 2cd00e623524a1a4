import type pg from 'pg';
import { type Diagnosis, ok, warn } from './finding.ts';

const NAME = 'write-ahead log';
/** About what a thousand sites write; below it the settings make no difference worth a restart or a reload. */
const BUSY_BYTES_PER_SECOND = 50 * 1024;
const CHECKPOINT_SECONDS = 30 * 60;
const MAX_WAL_MB = 16 * 1024;

export interface WalFigures {
  readonly bytesPerSecond: number;
  readonly checkpointSeconds: number;
  readonly maxWalMb: number;
  readonly compression: string;
}

/** After each checkpoint the first change of a page writes the whole page: rarer checkpoints and compression write less. */
export function walDiagnosis({ bytesPerSecond, checkpointSeconds, maxWalMb, compression }: WalFigures): Diagnosis {
  const found = `${String(Math.round(bytesPerSecond / 1024))} KiB/s on average since the statistics were reset`;
  const missing = [
    ...(checkpointSeconds < CHECKPOINT_SECONDS ? ["checkpoint_timeout = '30min'"] : []),
    ...(maxWalMb < MAX_WAL_MB ? ["max_wal_size = '16GB'"] : []),
    ...(compression === 'off' ? ['wal_compression = on'] : []),
  ];
  return bytesPerSecond < BUSY_BYTES_PER_SECOND || missing.length === 0
    ? ok(NAME, found)
    : warn(NAME, found, `${missing.join(', ')} write less of it; see "A Postgres of your own" in docs/operations.md for what they cost`);
}

/** Only of a database whose settings are the operator's. */
export async function examineWriteAheadLog(client: pg.Client, databaseUrl: string | undefined): Promise<readonly Diagnosis[]> {
  if (databaseUrl === undefined) return [];
  const { rows } = await client.query<WalFigures>(
    `SELECT (wal_bytes / greatest(1, extract(epoch FROM clock_timestamp() - stats_reset)))::float8 AS "bytesPerSecond",
       (SELECT setting::int FROM pg_settings WHERE name = 'checkpoint_timeout') AS "checkpointSeconds",
       (SELECT setting::int FROM pg_settings WHERE name = 'max_wal_size') AS "maxWalMb",
       current_setting('wal_compression') AS compression
     FROM pg_stat_wal`,
  );
  return rows.map(walDiagnosis);
}
