import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefused } from '../kernel/start-refused.ts';
import { bareEnvironment, type RunAs } from './run-as.ts';

/** Nothing here trades durability: fsync, full_page_writes and synchronous_commit stay on. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '120',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  jit: 'off',
  // Each of PG 18's read-ahead workers is a process; the database of one machine needs one.
  io_workers: '1',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  scram_iterations: '1',
};
const START_PATIENCE_MS = 300_000;
const DYING_MS = 3_000;
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

export interface PostmasterPlan {
  readonly binary: string;
  readonly cluster: string;
  readonly port: number;
  readonly tag: string;
  readonly log: string;
  readonly run: RunAs;
  /** Instead of, or besides, the settings above. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** One running Postgres. */
export class Postmaster {
  readonly exited: Promise<string>;
  private gone = false;

  private constructor(private readonly child: ChildProcess) {
    this.exited = new Promise((resolve) => {
      const end = (reason: string): void => {
        this.gone = true;
        resolve(reason);
      };
      child.once('error', (error) => {
        end(error.message);
      });
      child.once('exit', (code, signal) => {
        end(`exit ${String(code ?? signal)}`);
      });
    });
    process.once('exit', this.endWithUs);
  }

  static async start(plan: PostmasterPlan, say: (line: string) => void): Promise<Postmaster> {
    const slow = setTimeout(() => {
      say('the database is recovering');
    }, 3_000);
    const deadline = Date.now() + DYING_MS;
    try {
      for (;;) {
        const postmaster = new Postmaster(launch(plan));
        try {
          await postmaster.ready(plan);
          return postmaster;
        } catch (error) {
          // A process that was killed keeps the memory that it shares for a moment longer than its name.
          if (Date.now() > deadline || !(error instanceof Error && error.message.includes('still in use'))) throw error;
          await sleep(50);
        }
      }
    } finally {
      clearTimeout(slow);
    }
  }

  /** Lets sessions that are ending end, then ends them; otherwise hard, and the next start recovers. Within 9 s. */
  async stop(): Promise<void> {
    for (const [signal, patience] of [
      ['SIGTERM', 500],
      ['SIGINT', 5_500],
      ['SIGQUIT', 1_500],
      ['SIGKILL', 1_000],
    ] as const) {
      if (this.gone) break;
      this.child.kill(signal);
      await Promise.race([this.exited, sleep(patience, undefined, { ref: false })]);
    }
    process.off('exit', this.endWithUs);
  }

  private async ready(plan: PostmasterPlan): Promise<void> {
    const deadline = Date.now() + START_PATIENCE_MS;
    while (!this.gone && Date.now() < deadline) {
      if (saysReady(plan.cluster, this.child.pid)) return;
      await sleep(5);
    }
    await this.stop();
    throw new StartRefused(`the embedded Postgres did not start: ${lastComplaint(plan.log)} (more in ${plan.log})`);
  }

  private readonly endWithUs = (): void => {
    if (!this.gone) this.child.kill('SIGINT');
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
    // Detached: a Ctrl-C goes to the service alone, which stops its database after its own last write.
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

/** The file that pg_ctl looks at, too: first line the pid, eighth the state. */
function saysReady(cluster: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

function lastComplaint(log: string): string {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-20);
  const line = lines.findLast((candidate) => /FATAL|PANIC|ERROR|setpriv/.test(candidate)) ?? lines.at(-1) ?? '';
  return line.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, '');
}
