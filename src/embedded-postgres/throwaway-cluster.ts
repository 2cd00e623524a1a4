import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from './binaries.ts';
import { makeCluster } from './cluster.ts';
import { databaseUrlOf, settleCredentials } from './credentials.ts';
import { databaseUser } from './database-user.ts';
import { Postmaster } from './postmaster.ts';
import { runAs } from './run-as.ts';

/** These data outlive nothing. */
const CARELESS = { fsync: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '256MB' };

export interface ThrowawayCluster {
  /** Without a database at the end. */
  readonly url: string;
  /** Every session ends, and nobody answers any more; what was committed is there again afterwards. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** A Postgres of a test run, made as the embedded one is, and gone with it. */
export async function startThrowawayCluster(
  settings: Readonly<Record<string, string>> = CARELESS,
  say: (line: string) => void = () => undefined,
): Promise<ThrowawayCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-test-'));
  const cluster = join(folder, 'postgres');
  const binaries = findBinaries();
  const user = databaseUser(cluster, say);
  const run = runAs(user, [binaries.postgres, folder]);
  const credentials = await settleCredentials(folder);
  await makeCluster({ folder: cluster, initdb: binaries.initdb, password: credentials.password, user, run });
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
