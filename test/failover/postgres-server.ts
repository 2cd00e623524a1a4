import { chownSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pg from 'pg';
import { findBinaries } from '../../src/operations/embedded-postgres/binaries.ts';
import { createCluster } from '../../src/operations/embedded-postgres/cluster.ts';
import { type Credentials, databaseUrlOf, ensureCredentials, USER } from '../../src/operations/embedded-postgres/credentials.ts';
import { databaseUser } from '../../src/operations/embedded-postgres/database-user.ts';
import { Postmaster, type PostmasterPlan } from '../../src/operations/embedded-postgres/postmaster.ts';
import { runAs } from '../../src/operations/embedded-postgres/run-as.ts';

const silent = (): void => undefined;
const ADMIN_DATABASE = 'postgres';
/** Enough that a standby finds everything since its copy was begun. */
const SETTINGS = { wal_keep_size: '2GB', max_connections: '120', shared_buffers: '64MB' };
/** Of the running server, not of a copy. */
const NOT_COPIED = ['postmaster.pid', 'postmaster.opts', 'pg_stat_tmp', 'pg_replslot'];
const PROMOTION_S = 60;

/** A running server that a standby can be copied from. */
export interface StandbySource {
  /** Of its cluster. */
  readonly folder: string;
  readonly password: string;
  session<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result>;
}

/** A real Postgres server, a primary or a streaming standby, that can be suspended, killed and promoted. */
export class PostgresServer {
  private constructor(
    readonly folder: string,
    private readonly credentials: Credentials,
    private readonly plan: PostmasterPlan,
    private postmaster: Postmaster,
  ) {}

  /** A new, empty primary. */
  static async primary(folder: string): Promise<PostgresServer> {
    mkdirSync(folder, { mode: 0o755 });
    const credentials = await ensureCredentials(folder);
    const { plan, initdb, user } = planOf(folder, credentials);
    await createCluster({ folder: plan.cluster, initdb, password: credentials.password, user, run: plan.run });
    return new PostgresServer(folder, credentials, plan, await Postmaster.start(plan, silent));
  }

  /** A standby of `primary`, copied from it while it runs. `port`: where the primary is reached for replication. */
  static async standbyOf(primary: StandbySource, folder: string, port: number): Promise<PostgresServer> {
    mkdirSync(folder, { mode: 0o755 });
    const credentials = { ...(await ensureCredentials(folder)), password: primary.password };
    const { plan } = planOf(folder, credentials);
    await fillStandby(primary, plan.cluster);
    const source = `host=127.0.0.1 port=${String(port)} user=${USER} password=${credentials.password} application_name=standby`;
    const following = { ...plan, settings: { ...SETTINGS, primary_conninfo: source } };
    return new PostgresServer(folder, credentials, following, await Postmaster.start(following, silent));
  }

  get port(): number {
    return this.credentials.port;
  }

  get password(): string {
    return this.credentials.password;
  }

  url(database: string): string {
    return databaseUrlOf(this.credentials, database);
  }

  /** Each statement on one connection of its own. */
  async run<Row extends pg.QueryResultRow>(...statements: readonly string[]): Promise<readonly Row[]> {
    return this.session(async (client) => {
      let rows: readonly Row[] = [];
      for (const statement of statements) ({ rows } = await client.query<Row>(statement));
      return rows;
    });
  }

  async session<Result>(work: (client: pg.Client) => Promise<Result>, database = ADMIN_DATABASE): Promise<Result> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on('error', silent);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Commits wait for the standby, or no longer. */
  async synchronous(yes: boolean): Promise<void> {
    await this.run(`ALTER SYSTEM SET synchronous_standby_names = '${yes ? 'standby' : ''}'`, 'SELECT pg_reload_conf()');
  }

  async promote(): Promise<void> {
    await this.run(`SELECT pg_promote(true, ${String(PROMOTION_S)})`);
  }

  /** Is a standby again after it was promoted, copied anew. */
  async follow(primary: StandbySource): Promise<void> {
    await this.postmaster.stop();
    rmSync(this.plan.cluster, { recursive: true });
    await fillStandby(primary, this.plan.cluster);
    await this.start();
  }

  /** Every process of the server stops where it is; its kernel keeps acknowledging packets. The postmaster first: it starts no further process, and a second look finds those that it was starting. */
  suspend(): void {
    for (let looks = 0; looks < 2; looks++) this.signal(this.processes, 'SIGSTOP');
  }

  resume(): void {
    this.signal(this.processes, 'SIGCONT');
  }

  /** Every process of the server dies, as with its machine. They are suspended before: a child whose postmaster has died is found no longer. */
  async kill(): Promise<void> {
    this.suspend();
    this.signal(this.processes.toReversed(), 'SIGKILL');
    await this.postmaster.exited;
  }

  /** Again, after it was killed. */
  async start(): Promise<void> {
    this.postmaster = await Postmaster.start(this.plan, silent);
  }

  async remove(): Promise<void> {
    await this.postmaster.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private signal(processes: readonly number[], name: NodeJS.Signals): void {
    for (const pid of processes) sendSignal(pid, name);
  }

  /** The postmaster, and its children; none where it does not run. */
  private get processes(): readonly number[] {
    const postmaster = this.pid;
    return postmaster === null ? [] : [postmaster, ...childrenOf(postmaster)];
  }

  private get pid(): number | null {
    try {
      return parseInt(readFileSync(join(this.plan.cluster, 'postmaster.pid'), 'utf8'), 10);
    } catch {
      return null;
    }
  }
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended in the meantime.
  }
}

function planOf(folder: string, credentials: Credentials) {
  const cluster = join(folder, 'postgres');
  const { postgres, initdb } = findBinaries();
  const user = databaseUser(cluster, silent);
  const run = runAs(user, [postgres, folder]);
  const tag = `failover-${basename(folder)}`;
  const plan: PostmasterPlan = {
    ...{ binary: postgres, cluster, port: credentials.port, tag, run },
    ...{ log: join(folder, 'postgres.log'), settings: SETTINGS },
  };
  return { plan, initdb, user };
}

async function fillStandby(primary: StandbySource, cluster: string): Promise<void> {
  const user = databaseUser(cluster, silent);
  const label = await copyOf(primary, cluster);
  for (const [name, text] of Object.entries({ backup_label: label, 'standby.signal': '' })) writeFileSync(join(cluster, name), text);
  for (const empty of ['pg_replslot', 'pg_stat_tmp']) mkdirSync(join(cluster, empty), { mode: 0o700 });
  if (user !== undefined)
    for (const name of ['backup_label', 'standby.signal', 'pg_replslot', 'pg_stat_tmp']) chownSync(join(cluster, name), user.uid, user.gid);
}

/** A base backup without `pg_basebackup`, which npm does not bring; answers the label. The standby streams the WAL itself. */
async function copyOf(primary: StandbySource, target: string): Promise<string> {
  return primary.session(async (client) => {
    await client.query(`SELECT pg_backup_start('failover', true)`);
    copyTree(join(primary.folder, 'postgres'), target);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    return rows[0]?.labelfile ?? '';
  });
}

/** Files may vanish while they are copied: what matters of them is in the WAL. */
function copyTree(from: string, to: string): void {
  const { uid, gid } = statSync(from);
  mkdirSync(to, { mode: 0o700 });
  chownSync(to, uid, gid);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (NOT_COPIED.includes(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target);
    else
      try {
        cpSync(source, target);
        chownSync(target, uid, gid);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      }
  }
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) === parent;
      } catch {
        return false;
      }
    });
}
