import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from '../../../src/operations/embedded-postgres/binaries.ts';
import { createCluster } from '../../../src/operations/embedded-postgres/cluster.ts';
import { type Credentials, databaseUrlOf, ensureCredentials } from '../../../src/operations/embedded-postgres/credentials.ts';
import { databaseUser } from '../../../src/operations/embedded-postgres/database-user.ts';
import { stopOrphans } from '../../../src/operations/embedded-postgres/embedded-database.ts';
import { processesTagged, signal } from '../../../src/operations/embedded-postgres/processes.ts';
import { Postmaster, type PostmasterPlan } from '../../../src/operations/embedded-postgres/postmaster.ts';
import { runAs } from '../../../src/operations/embedded-postgres/run-as.ts';
import type { PostgresClock } from './postgres-clock.ts';

const silent = (): void => undefined;
const ADMIN_DATABASE = 'postgres';

/** The embedded Postgres with its normal durability, which can be killed repeatedly and given another clock. */
export class CrashablePostgres {
  private constructor(
    readonly folder: string,
    private readonly credentials: Credentials,
    private readonly plan: PostmasterPlan,
    private postmaster: Postmaster,
  ) {}

  static async start(
    dataDir: string,
    clock: PostgresClock | null,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<CrashablePostgres> {
    mkdirSync(dataDir, { mode: 0o755 });
    const cluster = join(dataDir, 'postgres');
    const { postgres, initdb } = findBinaries();
    const user = databaseUser(cluster, silent);
    const asUser = runAs(user, [postgres, dataDir]);
    const credentials = await ensureCredentials(dataDir);
    await createCluster({ folder: cluster, initdb, password: credentials.password, user, run: asUser });
    const run: PostmasterPlan['run'] = (file, args) => {
      const launch = asUser(file, args);
      return clock === null ? launch : { ...launch, ...clock.around(launch.file, launch.args) };
    };
    const tag = `faults-${dataDir}`.slice(-60);
    const plan = { binary: postgres, cluster, port: credentials.port, tag, log: join(dataDir, 'postgres.log'), run, settings };
    return new CrashablePostgres(dataDir, credentials, plan, await Postmaster.start(plan, silent));
  }

  get port(): number {
    return this.credentials.port;
  }

  get password(): string {
    return this.credentials.password;
  }

  /** A new, empty database. */
  async create(name: string): Promise<string> {
    await this.session((client) => client.query(`CREATE DATABASE "${name}"`));
    return databaseUrlOf(this.credentials, name);
  }

  async session<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ connectionString: databaseUrlOf(this.credentials, ADMIN_DATABASE) });
    client.on('error', silent);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Kills the process as a power cut does, and restarts it. */
  async die(): Promise<void> {
    process.kill(parseInt(readFileSync(join(this.plan.cluster, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
    await this.postmaster.exited;
    await this.postmaster.stop();
    await stopOrphans(this.plan.cluster, this.plan.tag, silent);
    this.postmaster = await Postmaster.start(this.plan, silent);
  }

  /** Suspends every process for a while: its kernel accepts connections and bytes, and nothing is answered. */
  async silence(milliseconds: number): Promise<void> {
    const silenced = processesTagged(this.plan.tag);
    for (const pid of silenced) signal(pid, 'SIGSTOP');
    try {
      await sleep(milliseconds);
    } finally {
      for (const pid of silenced) signal(pid, 'SIGCONT');
    }
  }

  stop(): Promise<void> {
    return this.postmaster.stop();
  }
}
