import type pg from 'pg';
import type { Logger } from 'pino';
import { pause } from '../../kernel/abortable.ts';
import type { LongRunning } from '../../kernel/lifecycle.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { migrateObservations } from '../postgres/migrations/observation-migrations.ts';
import { reachObservations } from './fences.ts';
import { claimObservations, refuseDatabaseOfLog } from './observation-claim.ts';
import { type ObservationPool, schemasOf } from './schemas.ts';

const RETRY_MS = 2_000;

export interface ObservationHomeOptions {
  /** Undefined when observations are in the database of the log. */
  readonly url: string | undefined;
  /** Connects to the database of the log. */
  readonly pool: pg.Pool;
  readonly observationPool: ObservationPool;
  /** The name of the installation: the first origin of its log. */
  readonly installation: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Prepares the database of the observations. One that is away does not keep the service from starting: its checkers wait, what needs no observations is
 * answered, and it is prepared when it is there.
 */
export class ObservationHome implements LongRunning {
  readonly name = 'database of observations';
  private readonly closing = new AbortController();
  private isReady = false;
  private preparing: Promise<void> = Promise.resolve();

  constructor(private readonly options: ObservationHomeOptions) {}

  async start(): Promise<void> {
    await refuseOtherPlace(this.options);
    if (this.options.url === undefined) return;
    if (!(await this.prepare())) this.preparing = this.prepareLater();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.preparing;
  }

  /** Resolves when observations can be stored. */
  async check(): Promise<void> {
    await reachObservations(this.options.observationPool);
    if (!this.isReady) throw new Error('is being prepared');
  }

  private async prepareLater(): Promise<void> {
    const { signal } = this.closing;
    do await pause(RETRY_MS, signal);
    while (!signal.aborted && !(await this.prepare()));
  }

  /** False while it is away. */
  private async prepare(): Promise<boolean> {
    const { url, pool, observationPool, installation, logger } = this.options;
    if (url === undefined) return true;
    try {
      await refuseDatabaseOfLog(observationPool);
      const migrated = await migrateObservations(url, schemasOf(observationPool));
      if (migrated.length > 0) logger.info({ migrations: migrated }, 'database of observations migrated');
      await claimObservations(observationPool, installation);
      await markMoved(pool, url);
    } catch (error) {
      if (error instanceof StartRefused) throw error;
      logger.warn({ err: error }, 'the database of observations is away; checks wait for it');
      return false;
    }
    this.isReady = true;
    return true;
  }
}

/** Not while they are being moved. */
const markMoved = (pool: pg.Pool, url: string): Promise<unknown> =>
  pool.query(
    `INSERT INTO observations_moved (moved_to, done) VALUES ($1, true)
     ON CONFLICT (singleton) DO UPDATE SET moved_to = excluded.moved_to WHERE observations_moved.done`,
    [databasePlace(url)],
  );

/** Observations would be stored in two places, and those in the other one not be found. */
async function refuseOtherPlace({ url, pool }: Pick<ObservationHomeOptions, 'url' | 'pool'>): Promise<void> {
  const { rows } = await pool.query<{ moved: string | null; some: boolean }>(
    `SELECT (SELECT moved_to FROM observations_moved WHERE moved_to <> '') AS moved,
       EXISTS (SELECT FROM sample_hour) OR EXISTS (SELECT FROM sample_flush) OR EXISTS (SELECT FROM latest_run) AS some`,
  );
  const { moved = null, some = false } = rows[0] ?? {};
  if (url === undefined && moved !== null)
    throw new StartRefused(
      `OBSERVATIONS_URL is not set, and the observations of this installation are in ${moved}: set it, or take them back with "watchledger observations move --back"`,
    );
  if (url !== undefined && moved === null && some)
    throw new StartRefused(
      'OBSERVATIONS_URL is set, and the observations of this installation are still in DATABASE_URL: run "watchledger observations move" first',
    );
}

/** The host, port and name of a database, without the password. */
export function databasePlace(url: string): string {
  const { hostname, port, pathname } = new URL(url.replace(/,[^/]*/, ''));
  return `${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}
