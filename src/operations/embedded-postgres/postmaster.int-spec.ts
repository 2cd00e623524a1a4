import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../test/support/until.ts';
import { findBinaries } from './binaries.ts';
import { createCluster } from './cluster.ts';
import { ensureCredentials } from './credentials.ts';
import { databaseUser } from './database-user.ts';
import { Postmaster, type PostmasterPlan } from './postmaster.ts';
import { processesTagged, signal } from './processes.ts';
import { runAs } from './run-as.ts';

const silent = (): void => undefined;

let folder: string;
let plan: PostmasterPlan;
let postmaster: Postmaster;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postmaster-'));
  const cluster = join(folder, 'postgres');
  const { postgres, initdb } = findBinaries();
  const user = databaseUser(cluster, silent);
  const run = runAs(user, [postgres, folder]);
  const { password, port } = await ensureCredentials(folder);
  await createCluster({ folder: cluster, initdb, password, user, run });
  plan = { binary: postgres, cluster, port, tag: folder, log: join(folder, 'log'), run };
  postmaster = await Postmaster.start(plan, silent);
});
afterEach(async () => {
  await postmaster.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Its children stay, stopped, and with them its shared memory. */
async function killWithoutChildren(): Promise<readonly number[]> {
  const pid = parseInt(readFileSync(join(plan.cluster, 'postmaster.pid'), 'utf8'), 10);
  const children = processesTagged(plan.tag).filter((other) => other !== pid);
  for (const other of children) signal(other, 'SIGSTOP');
  signal(pid, 'SIGKILL');
  await postmaster.exited;
  rmSync(join(plan.cluster, 'postmaster.pid'));
  return children;
}

describe('Postmaster', () => {
  it('waits until the children of its killed predecessor have exited', async () => {
    const children = await killWithoutChildren();
    expect(children.length).toBeGreaterThan(0);
    const started = Postmaster.start(plan, silent);
    await until(() => Promise.resolve(readFileSync(plan.log, 'utf8').includes('still in use')), 2_000, 'an attempt to start');
    for (const pid of children) signal(pid, 'SIGKILL');
    postmaster = await started;
  });

  it('fails to start while children of its predecessor stay alive', async () => {
    const children = await killWithoutChildren();
    await expect(Postmaster.start({ ...plan, sharedMemoryTimeoutMs: 1_000 }, silent)).rejects.toThrow(/still in use/);
    for (const pid of children) signal(pid, 'SIGKILL');
  });
});
