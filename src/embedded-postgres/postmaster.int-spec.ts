import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries } from './binaries.ts';
import { makeCluster } from './cluster.ts';
import { settleCredentials } from './credentials.ts';
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
  const { password, port } = await settleCredentials(folder);
  await makeCluster({ folder: cluster, initdb, password, user, run });
  plan = { binary: postgres, cluster, port, tag: folder, log: join(folder, 'log'), run };
  postmaster = await Postmaster.start(plan, silent);
});
afterEach(async () => {
  await postmaster.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Its processes stay, as if they took long to die, and with them the memory that it shared. */
async function killAndLeaveRest(): Promise<readonly number[]> {
  const pid = parseInt(readFileSync(join(plan.cluster, 'postmaster.pid'), 'utf8'), 10);
  const rest = processesTagged(plan.tag).filter((other) => other !== pid);
  for (const other of rest) signal(other, 'SIGSTOP');
  signal(pid, 'SIGKILL');
  await postmaster.exited;
  rmSync(join(plan.cluster, 'postmaster.pid'));
  return rest;
}

describe('a postmaster', () => {
  it('waits until what was left of the one before has died', async () => {
    const rest = await killAndLeaveRest();
    expect(rest.length).toBeGreaterThan(0);
    const started = Postmaster.start(plan, silent);
    await sleep(500);
    for (const pid of rest) signal(pid, 'SIGKILL');
    postmaster = await started;
    expect(readFileSync(plan.log, 'utf8')).toMatch(/still in use/);
  });

  it('is refused where the rest does not die', async () => {
    const rest = await killAndLeaveRest();
    await expect(Postmaster.start(plan, silent)).rejects.toThrow(/still in use/);
    for (const pid of rest) signal(pid, 'SIGKILL');
  });
});
