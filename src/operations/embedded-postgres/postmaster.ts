import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefused } from '../../kernel/start-refused.ts';
import { bareEnvironment, type RunAs } from './run-as.ts';

/** fsync, full_page_writes and synchronous_commit stay on: no setting trades durability. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '120',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  jit: 'off',
  // Each read-ahead worker of Postgres 18 is a process; one is enough for one machine.
  io_workers: '1',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  scram_iterations: '1',
};
/** Crash recovery on a slow disk takes minutes; the wait ends as soon as Postgres is ready. */
const START_TIMEOUT_MS = 300_000;
/** How long the shared memory of a killed predecessor may stay in use. */
const SHARED_MEMORY_TIMEOUT_MS = 30_000;
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

export interface PostmasterPlan {
  readonly binary: string;
  readonly cluster: string;
  readonly port: number;
  readonly tag: string;
  readonly log: string;
  readonly run: RunAs;
  /** Override or extend the settings above. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly sharedMemoryTimeoutMs?: number;
}

/** One running Postgres server process. */
export class Postmaster {
  readonly exited: Promise<string>;
  private hasExited = false;

  private constructor(private readonly child: ChildProcess) {
    this.exited = new Promise((resolve) => {
      const exit = (reason: string): void => {
        this.hasExited = true;
        resolve(reason);
      };
      child.once('error', (error) => {
        exit(error.message);
      });
      child.once('exit', (code, signal) => {
        exit(`exit ${String(code ?? signal)}`);
      });
    });
    process.once('exit', this.stopWithProcess);
  }

  static async start(plan: PostmasterPlan, say: (line: string) => void): Promise<Postmaster> {
    const slow = setTimeout(() => {
      say('the database is recovering');
    }, 3_000);
    const deadline = Date.now() + (plan.sharedMemoryTimeoutMs ?? SHARED_MEMORY_TIMEOUT_MS);
    try {
      for (;;) {
        const postmaster = new Postmaster(launch(plan));
        try {
          await postmaster.waitUntilReady(plan);
          return postmaster;
        } catch (error) {
          // Children of a killed postmaster hold its shared memory until they have exited.
          if (Date.now() > deadline || !(error instanceof Error && error.message.includes('still in use'))) throw error;
          await sleep(50);
        }
      }
    } finally {
      clearTimeout(slow);
    }
  }

  /** Smart, then fast, then immediate shutdown, which the next start recovers from. Takes at most 9 s. */
  async stop(): Promise<void> {
    for (const [signal, timeoutMs] of [
      ['SIGTERM', 500],
      ['SIGINT', 5_500],
      ['SIGQUIT', 1_500],
      ['SIGKILL', 1_000],
    ] as const) {
      if (this.hasExited) break;
      this.child.kill(signal);
      await Promise.race([this.exited, sleep(timeoutMs, undefined, { ref: false })]);
    }
    process.off('exit', this.stopWithProcess);
  }

  private async waitUntilReady(plan: PostmasterPlan): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!this.hasExited && Date.now() < deadline) {
      if (isReady(plan.cluster, this.child.pid)) return;
      await sleep(5);
    }
    await this.stop();
    throw new StartRefused(`the embedded Postgres did not start: ${lastError(plan.log)} (more in ${plan.log})`);
  }

  private readonly stopWithProcess = (): void => {
    if (!this.hasExited) this.child.kill('SIGINT');
  };
}

function launch(plan: PostmasterPlan): ChildProcess {
  if ((statSync(plan.log, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES) truncateSync(plan.log);
  const log = openSync(plan.log, 'a', 0o600);
  const settings = { ...SETTINGS, ...plan.settings, port: String(plan.port), cluster_name: plan.tag };
  const { file, args, ...as } = plan.run(plan.binary, [
    '-D',
    plan.cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  try {
    // Detached: Ctrl-C reaches only the service, which stops its database after its own last write.
    return spawn(file, [...args], {
      ...as,
      cwd: plan.cluster,
      detached: true,
      stdio: ['ignore', log, log],
      env: bareEnvironment(),
    });
  } finally {
    closeSync(log);
  }
}

/** Like pg_ctl: the first line of the file is the pid, the eighth the state. */
function isReady(cluster: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

function lastError(log: string): string {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-20);
  const line = lines.findLast((candidate) => /FATAL|PANIC|ERROR|setpriv/.test(candidate)) ?? lines.at(-1) ?? '';
  return line.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, '');
}
