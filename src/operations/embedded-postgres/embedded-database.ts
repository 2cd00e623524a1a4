import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from './binaries.ts';
import { createCluster } from './cluster.ts';
import { type Credentials, DATABASE_NAME, databaseUrlOf, ensureCredentials } from './credentials.ts';
import { type DataLock, lockDataFolder } from './data-lock.ts';
import { databaseUser } from './database-user.ts';
import { Postmaster, type PostmasterPlan } from './postmaster.ts';
import { runAs } from './run-as.ts';
import { commandOf, isAlive, processesTagged, signal } from './processes.ts';

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Receives a line about each long step. */
  readonly say?: (line: string) => void;
  /** The database exited and could not be restarted. */
  readonly onLost?: (reason: string) => void;
}

const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;

/** A Postgres that belongs to this process: created at the first start, restarted when it crashes, stopped with the service. */
export class EmbeddedDatabase {
  private readonly stopping = new AbortController();
  private exits: number[] = [];

  private constructor(
    readonly url: string,
    private postmaster: Postmaster,
    private readonly plan: PostmasterPlan,
    private readonly lock: DataLock,
    private readonly options: EmbeddedOptions,
  ) {
    this.watch();
  }

  static async start(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
    const lock = await lockDataFolder(options.dataDir);
    try {
      const { postmaster, plan, credentials } = await startCluster(options);
      return new EmbeddedDatabase(databaseUrlOf(credentials), postmaster, plan, lock, options);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.postmaster.stop();
    this.lock.release();
  }

  private watch(): void {
    void this.postmaster.exited.then(async (reason) => {
      if (this.isStopping()) return;
      this.say(`the database exited (${reason}); restarting it`);
      try {
        await this.restart();
        this.watch();
      } catch (error) {
        if (!this.isStopping()) this.options.onLost?.(error instanceof Error ? error.message : String(error));
      }
    });
  }

  private async restart(): Promise<void> {
    const now = Date.now();
    this.exits = [...this.exits.filter((at) => now - at < RESTART_WINDOW_MS), now];
    if (this.exits.length > MAX_RESTARTS) throw new Error(`the database exited ${String(MAX_RESTARTS)} times within a minute`);
    await sleep(100 * (this.exits.length - 1));
    await stopOrphans(this.plan.cluster, this.plan.tag, (line) => {
      this.say(line);
    });
    if (this.isStopping()) return;
    this.postmaster = await Postmaster.start(this.plan, (line) => {
      this.say(line);
    });
    if (this.isStopping()) await this.postmaster.stop();
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private say(line: string): void {
    this.options.say?.(line);
  }
}

async function startCluster(options: EmbeddedOptions): Promise<{ postmaster: Postmaster; plan: PostmasterPlan; credentials: Credentials }> {
  const say = options.say ?? (() => undefined);
  const dataDir = realpathSync(options.dataDir);
  const cluster = join(dataDir, 'postgres');
  const binaries = findBinaries();
  const user = databaseUser(cluster, say);
  if (user !== undefined) chmodSync(dataDir, statSync(dataDir).mode | 0o011);
  const run = runAs(user, [binaries.postgres, dataDir]);
  const tag = `watchledger-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`;
  await stopOrphans(cluster, tag, say);
  const credentials = await ensureCredentials(dataDir);
  await createCluster({ folder: cluster, initdb: binaries.initdb, password: credentials.password, user, run });
  const plan = { binary: binaries.postgres, cluster, port: credentials.port, tag, log: join(dataDir, 'postgres.log'), run };
  const postmaster = await Postmaster.start(plan, say);
  try {
    await createDatabase(databaseUrlOf(credentials, 'postgres'));
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
  return { postmaster, plan, credentials };
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE_NAME]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE_NAME}`);
  } finally {
    await client.end();
  }
}

/**
 * Stops a Postgres that outlived its service (kill -9), at worst by SIGKILL, from which Postgres recovers, and then removes a stale
 * `postmaster.pid`, whose pid may belong to another program by now. Two postmasters on one cluster would destroy it.
 */
export async function stopOrphans(cluster: string, tag: string, say: (line: string) => void): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const pid = pidIn(file);
  const running = (): readonly number[] => processesTagged(tag);
  if (running().length > 0) {
    say('stopping the database of a killed service');
    await stopAll(running, pid);
  }
  if (pid === undefined || (isAlive(pid) && /postgres|postmaster/.test(commandOf(pid)))) return;
  rmSync(file, { force: true });
}

async function stopAll(running: () => readonly number[], postmaster: number | undefined): Promise<void> {
  const steps = [
    ['SIGINT', 8_000],
    ['SIGQUIT', 3_000],
    ['SIGKILL', 2_000],
  ] as const;
  for (const [name, timeoutMs] of steps) {
    const orphans = running();
    // The postmaster signals its children; without a postmaster they exit by themselves.
    for (const pid of name !== 'SIGKILL' && postmaster !== undefined && orphans.includes(postmaster) ? [postmaster] : orphans)
      signal(pid, name);
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      if (running().length === 0) return;
      await sleep(20);
    }
  }
}

function pidIn(file: string): number | undefined {
  try {
    const pid = parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
