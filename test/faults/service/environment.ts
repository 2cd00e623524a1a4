import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { openPool } from '../../../src/platform/postgres/pool.ts';
import { LocalWake } from '../../../src/platform/postgres/wake.ts';
import type { EventStore } from '../../../src/platform/event-store/event-store.ts';
import { KurrentDbEventStore } from '../../../src/platform/event-store/kurrentdb/kurrentdb-event-store.ts';
import { PostgresEventStore } from '../../../src/platform/event-store/postgres/postgres-event-store.ts';
import { PostgresServer } from '../../failover/postgres-server.ts';
import { KurrentDbDouble } from '../../support/kurrentdb-double/kurrentdb-double.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { EventStoreOnDisk } from './event-store-on-disk.ts';
import { CrashablePostgres } from './crashable-postgres.ts';
import { PostgresClock } from './postgres-clock.ts';
import { ReactedEvents } from './reacted-events.ts';

/** `server`: a real one, where TEST_EVENTSTORE is the command that starts it. */
export type Engine = 'postgres' | 'double' | 'server';

/** One Postgres, or a second one: for the observations (`OBSERVATIONS_URL`), or that answers reads (`READ_URL`). */
export type Databases = 'one' | 'observations apart' | 'read replica';

/** Of the log. */
export const DATABASE = 'watchledger';
const DISK_MEGABYTES = 700;
/** What a replica may have missed while it was away; on the small disk. */
const KEPT_FOR_REPLICA = { wal_keep_size: '128MB' };

/** Everything the service depends on; faults can be injected into each. */
export interface FaultEnvironment {
  readonly folder: string;
  /** Below it. */
  readonly disk: string;
  /** Whether the disk is a small file system of its own. */
  readonly smallDisk: boolean;
  /** Null without libfaketime. */
  readonly clock: PostgresClock | null;
  readonly postgres: CrashablePostgres;
  readonly url: string;
  readonly pool: pg.Pool;
  /** Null: the observations are with the log. */
  readonly observations: ObservationDatabase | null;
  /** Null: the primary answers every read. */
  readonly replica: PostgresServer | null;
  readonly double: KurrentDbDouble | null;
  readonly node: EventStoreOnDisk | null;
  /** The one that the service writes to, too. */
  readonly store: EventStore;
  /** Receives every checkpoint. */
  readonly witness: Receiver;
  readonly reacted: ReactedEvents;
}

export interface ObservationDatabase {
  readonly postgres: CrashablePostgres;
  readonly url: string;
  readonly pool: pg.Pool;
}

const openFaultPool = (url: string): pg.Pool => openPool(url, { name: 'faults', max: 4, statementTimeoutMs: 5_000 });

async function openObservations(folder: string): Promise<ObservationDatabase> {
  const postgres = await CrashablePostgres.start(folder, null);
  const url = await postgres.create('observations');
  return { postgres, url, pool: openFaultPool(url) };
}

export async function openEnvironment(engine: Engine, databases: Databases): Promise<FaultEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-faults-'));
  const disk = join(folder, 'disk');
  mkdirSync(disk, { mode: 0o755 });
  const smallDisk = mounted(disk);
  const clock = PostgresClock.in(disk);
  const postgres = await CrashablePostgres.start(join(disk, 'data'), clock, databases === 'read replica' ? KEPT_FOR_REPLICA : {});
  const url = await postgres.create(DATABASE);
  const double = engine === 'double' ? await KurrentDbDouble.start() : null;
  const node = engine === 'server' ? await EventStoreOnDisk.start(process.env['TEST_EVENTSTORE'] ?? '', folder) : null;
  const pool = openFaultPool(url);
  const observations = databases === 'observations apart' ? await openObservations(join(folder, 'observations')) : null;
  const replica = databases === 'read replica' ? await PostgresServer.standbyOf(postgres, join(folder, 'replica'), postgres.port) : null;
  const server = double ?? node;
  const store = server === null ? new PostgresEventStore(pool, new LocalWake()) : new KurrentDbEventStore(server.url);
  const [witness, reacted] = [await startReceiver(), await ReactedEvents.open(postgres)];
  return { folder, disk, smallDisk, clock, postgres, url, pool, observations, replica, double, node, store, witness, reacted };
}

export async function closeEnvironment({
  folder,
  disk,
  smallDisk,
  postgres,
  pool,
  observations,
  replica,
  double,
  node,
  store,
  witness,
  reacted,
}: FaultEnvironment): Promise<void> {
  await store.close();
  await pool.end();
  await observations?.pool.end();
  await observations?.postgres.stop();
  replica?.resume();
  await replica?.remove();
  await double?.stop();
  await node?.stop();
  await witness.close();
  await reacted.close();
  await postgres.stop();
  if (smallDisk) execFileSync('umount', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true });
}

function mounted(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(DISK_MEGABYTES)}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
