import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartRefused } from '../../kernel/start-refused.ts';
import { USER } from './credentials.ts';
import type { DatabaseUser } from './database-user.ts';
import { bareEnvironment, type RunAs } from './run-as.ts';

/** The same byte order and encoding on every machine: indexes and sorted answers do not depend on its locale. */
const INITDB_OPTIONS = ['--locale=C', '--encoding=UTF8', '--auth=scram-sha-256', '--no-instructions'];
/** The password has 192 random bits: key stretching would only slow down each connection. */
const QUICK_SCRAM = ['--set=scram_iterations=1'];

export interface ClusterPlan {
  readonly folder: string;
  readonly initdb: string;
  readonly password: string;
  readonly user: DatabaseUser | undefined;
  readonly run: RunAs;
}

/** Creates the cluster once. It is renamed into place when complete, so that a start killed in between begins anew. */
export async function createCluster(plan: ClusterPlan): Promise<void> {
  if (existsSync(join(plan.folder, 'PG_VERSION'))) return;
  const unfinished = `${plan.folder}.new`;
  const passwordFile = join(unfinished, '..', 'postgres.pw');
  for (const path of [unfinished, passwordFile]) rmSync(path, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, plan.password, { mode: 0o600 });
  if (plan.user !== undefined) for (const path of [unfinished, passwordFile]) chownSync(path, plan.user.uid, plan.user.gid);
  try {
    await initialise(plan, unfinished, passwordFile);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  rmSync(plan.folder, { recursive: true, force: true });
  renameSync(unfinished, plan.folder);
}

async function initialise(plan: ClusterPlan, folder: string, passwordFile: string): Promise<void> {
  const args = [`--pgdata=${folder}`, `--username=${USER}`, `--pwfile=${passwordFile}`, ...INITDB_OPTIONS, ...QUICK_SCRAM];
  const { file, args: all, ...as } = plan.run(plan.initdb, args);
  const child = spawn(file, all, { ...as, cwd: dirname(folder), env: bareEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(-2_000);
  });
  const code = await new Promise<number | string>((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('close', (status, signal) => {
      resolve(status ?? signal ?? 'unknown');
    });
  });
  if (code !== 0)
    throw new StartRefused(`the database cluster could not be created in ${plan.folder} (${String(code)}): ${reasonIn(stderr)}`);
}

/** The first error that initdb or its Postgres printed; the others follow from it. */
function reasonIn(stderr: string): string {
  const lines = stderr.trim().split('\n');
  const first = lines.find((line) => /FATAL|PANIC|ERROR|error:/.test(line)) ?? lines.at(-1) ?? '';
  return first.replace(/^.*?(FATAL|PANIC|ERROR|error):\s*/, '');
}
