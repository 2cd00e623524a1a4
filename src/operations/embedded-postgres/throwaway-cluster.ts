import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from './binaries.ts';
import { createCluster } from './cluster.ts';
import { databaseUrlOf, ensureCredentials } from './credentials.ts';
import { databaseUser } from './database-user.ts';
import { Postmaster } from './postmaster.ts';
import { runAs } from './run-as.ts';

/** Without durability and upkeep: the data are dropped at the end, most of them within a minute. */
const NOT_DURABLE = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_wal_size: '4GB',
  max_connections: '1000',
  shared_buffers: '256MB',
};

/** A file system in memory, which Linux has, and what must be free there and in memory: a whole test run takes less. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;

export interface ThrowawayCluster {
  /** Without the name of a database. */
  readonly url: string;
  /** Stops the server as in an outage; committed data are there again after `comeBack`. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** A Postgres for one test run, started like the embedded one and deleted when stopped. */
export async function startThrowawayCluster(
  settings: Readonly<Record<string, string>> = NOT_DURABLE,
  say: (line: string) => void = () => undefined,
): Promise<ThrowawayCluster> {
  const folder = mkdtempSync(join(settings === NOT_DURABLE ? fastFolder() : tmpdir(), 'watchledger-test-'));
  const cluster = join(folder, 'postgres');
  const binaries = findBinaries();
  const user = databaseUser(cluster, say);
  const run = runAs(user, [binaries.postgres, folder]);
  const credentials = await ensureCredentials(folder);
  await createCluster({ folder: cluster, initdb: binaries.initdb, password: credentials.password, user, run });
  const plan = {
    binary: binaries.postgres,
    cluster,
    port: credentials.port,
    tag: `test-${folder}`.slice(-60),
    log: join(folder, 'log'),
    run,
  };
  let postmaster = await Postmaster.start({ ...plan, settings }, say);
  return {
    url: databaseUrlOf(credentials, '').replace(/\/$/, ''),
    goAway: () => postmaster.stop(),
    comeBack: async () => {
      postmaster = await Postmaster.start({ ...plan, settings }, say);
    },
    stop: async () => {
      await postmaster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A database consists of hundreds of files: to clone and to drop one takes a tenth of the processor time in memory. */
function fastFolder(): string {
  if (!existsSync(MEMORY) || freemem() < 2 * ROOM_BYTES) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < ROOM_BYTES ? tmpdir() : MEMORY;
}
