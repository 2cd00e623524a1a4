import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from '../../src/ops/embedded/binaries.ts';
import { makeCluster } from '../../src/ops/embedded/cluster.ts';
import { databaseUrlOf, settleCredentials } from '../../src/ops/embedded/credentials.ts';
import { databaseUser } from '../../src/ops/embedded/database-user.ts';
import { Postmaster } from '../../src/ops/embedded/postmaster.ts';
import { runAs } from '../../src/ops/embedded/run-as.ts';

/** These data outlive nothing. */
const CARELESS = { fsync: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '256MB' };

export interface TestCluster {
  /** Without a database at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A Postgres of the test run, made as the embedded one is, and gone with it. */
export async function startTestCluster(settings: Readonly<Record<string, string>> = CARELESS): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-test-'));
  const cluster = join(folder, 'postgres');
  const say = (line: string): void => console.error(line);
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
  const postmaster = await Postmaster.start({ ...plan, settings }, say);
  return {
    url: databaseUrlOf(credentials, '').replace(/\/$/, ''),
    stop: async () => {
      await postmaster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
