import type pg from 'pg';
import type { Logger } from 'pino';
import type { ConnectionWatch } from '../postgres/connection-watch.ts';
import type { PostgresLeases } from '../postgres/postgres-leases.ts';
import { openPool } from '../postgres/pool.ts';
import { isTransientDatabaseError } from '../postgres/transient-database-error.ts';
import { probeWrite } from '../postgres/write-probe.ts';
import type { Wake } from '../postgres/wake.ts';
import type { Config } from '../config/config.ts';
import type { EventStore } from './event-store.ts';
import { mirroredStreams } from './kurrentdb/mirrored-streams.ts';
import { openKurrentDb } from './open-kurrentdb.ts';
import type { OwnAppends } from '../log/log.ts';
import type { LongRunning } from '../../kernel/lifecycle.ts';
import { PostgresEventStore } from './postgres/postgres-event-store.ts';
import type { Outages } from '../telemetry/health/outages.ts';

/** The event store of the installation, and the mirror that fills the log from it where they differ. */
export interface Engine {
  readonly name: 'postgres' | 'kurrentdb';
  readonly store: EventStore;
  /** What this process appended; none where the log is the mirror of another store. */
  readonly recent?: OwnAppends;
  /** Rejects when the address is invalid, not when the server is unavailable. */
  open(): Promise<void>;
  /** Fills the log, on an engine that is not the log itself. */
  readonly mirroring: LongRunning;
  /** Rejects with the reason when the log cannot follow the store. */
  readonly check: () => Promise<void>;
  /** Resolves when a write goes through; asked after one has failed. */
  readonly probeWrite: () => Promise<void>;
  /** Seconds that the log is behind the store. */
  readonly lag: () => number;
  close(): Promise<void>;
}

export interface EngineNeeds {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly connectionWatch: ConnectionWatch;
  readonly pool: pg.Pool;
  readonly wake: Wake;
  readonly leases: PostgresLeases;
  readonly logger: Logger;
  readonly outages: Outages;
}

/** The embedded engine: the log's table is the store. */
function postgres({ databaseUrl, connectionWatch: watch, wake }: EngineNeeds): Engine {
  // A pool of its own: requests and appends do not wait for each other's connections.
  const pool = openPool(databaseUrl, { name: 'events', max: 4, statementTimeoutMs: 5_000, watch });
  // One batch is under way at a time; the second connection replaces a broken one.
  const appendPool = openPool(databaseUrl, { name: 'appends', max: 2, statementTimeoutMs: 5_000, watch });
  const store = new PostgresEventStore(pool, wake, undefined, appendPool);
  return {
    name: 'postgres',
    store,
    recent: store.recent,
    open: () => Promise.resolve(),
    mirroring: { name: 'mirror', start: () => undefined, close: () => Promise.resolve() },
    check: () => Promise.resolve(),
    probeWrite: () => probeWrite(appendPool),
    lag: () => 0,
    close: async () => {
      await Promise.all([pool.end(), appendPool.end()]);
    },
  };
}

/** KurrentDB stores the events; the instance that holds the lease mirrors them into the log. */
async function kurrentdb(
  { config, databaseUrl, connectionWatch, pool, wake, leases, logger, outages }: EngineNeeds,
  url: string,
): Promise<Engine> {
  const [store, { Mirror }, { MirrorWatch }] = await Promise.all([
    openKurrentDb(url, {}, mirroredStreams(pool)),
    import('../log/mirror.ts'),
    import('../log/mirror-watch.ts'),
  ]);
  const report = (error: unknown): void => {
    logger.warn({ err: error }, 'mirroring the event store failed; retrying');
    if (isTransientDatabaseError(error)) outages.report(error);
  };
  // Rows lost in a crash are mirrored again, identically: their commits need not wait for the disk.
  const mirrorPool = openPool(databaseUrl, { name: 'mirror', max: 4, synchronousCommit: false, watch: connectionWatch });
  const mirror = new Mirror({ source: store, pool: mirrorPool, wake, leases, report });
  const watch = new MirrorWatch({ source: store, pool, wake });
  return {
    name: 'kurrentdb',
    store,
    open: () => store.open(),
    mirroring: {
      name: 'mirror',
      start: () => {
        watch.start();
        if (config.roles.includes('projector') || config.roles.includes('witness')) mirror.start();
      },
      close: async () => {
        await watch.close();
        await mirror.close();
      },
    },
    check: () => {
      const { state, reason } = mirror.status;
      return state === 'failed' ? Promise.reject(new Error(reason ?? 'the log does not match the event store')) : Promise.resolve();
    },
    // An event store has no write without an event.
    probeWrite: () => store.ping(),
    lag: () => (mirror.status.state === 'failed' ? Infinity : watch.lagSeconds),
    close: async () => {
      await mirrorPool.end();
      await store.close();
    },
  };
}

export const openEngine = (needs: EngineNeeds): Promise<Engine> =>
  needs.config.eventStoreUrl === undefined ? Promise.resolve(postgres(needs)) : kurrentdb(needs, needs.config.eventStoreUrl);
