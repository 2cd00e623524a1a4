import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createServiceDatabase, createTestDatabase, type TestDatabase } from './database.ts';
import { registerEventStore } from './event-store-env.ts';
import { onReplicaOfRun } from './replicated-cluster.ts';
import { type EventStoreNode, startEventStoreNode } from './servers/event-store-node.ts';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
const START_MS = 240_000;
/** The channel to the parent closes however that ends. Threads of the service run this, too, and have none. */
const STOP_WITH_PARENT = `data:text/javascript,process.once('disconnect',()=>process.kill(process.pid,'SIGTERM'));process.channel?.unref()`;
const processOf = (endsWithWorker = false): { readonly execArgs: readonly string[]; readonly stdio: StdioOptions } =>
  endsWithWorker
    ? { execArgs: ['--import', STOP_WITH_PARENT], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }
    : { execArgs: [], stdio: ['ignore', 'pipe', 'pipe'] };

export const ADMIN = { email: 'admin@example.test', password: 'correct horse battery staple' } as const;

export interface ServiceOptions {
  /** A second instance on the same database. */
  readonly beside?: TestService;
  /** Not one of the run's Postgres; dropped with the service. */
  readonly database?: TestDatabase;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends with the jest worker, which it keeps from exiting until it is ready and no longer. */
  readonly endsWithWorker?: boolean;
}

/** The built program as a process on a database of its own. */
export class TestService {
  private isEnding = false;

  private constructor(
    readonly url: string,
    readonly database: TestDatabase,
    /** With TEST_OBSERVATIONS_APART a database of their own, else the same. */
    readonly observations: TestDatabase,
    readonly masterKey: string,
    private readonly folder: string,
    private readonly process: ChildProcess,
    private readonly lines: string[],
    private owner: boolean,
    private readonly eventStore: EventStoreNode | null,
  ) {
    process.once('exit', (code, signal) => {
      this.reportExit(code ?? signal);
    });
  }

  static async start({ beside, database: given, env = {}, endsWithWorker }: ServiceOptions = {}): Promise<TestService> {
    const database = beside?.database ?? given ?? (await createServiceDatabase());
    const areApart = process.env['TEST_OBSERVATIONS_APART'] !== undefined && !('OBSERVATIONS_URL' in env);
    const observations = beside?.observations ?? (areApart ? await emptyDatabase() : database);
    const masterKey = beside?.masterKey ?? randomBytes(32).toString('hex');
    const eventStore = beside === undefined ? await ownEventStore(env) : beside.eventStore;
    if (eventStore !== null) registerEventStore(database.url, eventStore.url);
    const { execArgs, stdio } = processOf(endsWithWorker);
    const folder = await mkdtemp(join(tmpdir(), 'watchledger-service-'));
    const replica = onReplicaOfRun(database.url);
    const child = spawn(process.execPath, [...execArgs, MAIN], {
      cwd: folder,
      stdio,
      env: {
        PATH: process.env['PATH'] ?? '',
        PORT: '0',
        DATA_DIR: join(folder, 'data'),
        DATABASE_URL: database.url,
        MASTER_KEY: masterKey,
        ADMIN_EMAIL: ADMIN.email,
        ADMIN_PASSWORD: ADMIN.password,
        LOG_LEVEL: 'info',
        // Tests register from one address.
        REGISTRATION_LIMIT: '0',
        ...(eventStore && { EVENTSTORE_URL: eventStore.url }),
        ...(observations !== database && { OBSERVATIONS_URL: observations.url }),
        ...(replica !== undefined && { READ_URL: replica }),
        ...env,
      },
    });
    const lines: string[] = [];
    const url = await addressOf(child, lines).catch(async (error: unknown) => {
      if (beside === undefined) await eventStore?.stop();
      throw error;
    });
    if (endsWithWorker === true) unref(child);
    const owner = beside === undefined || beside.bequeath();
    return new TestService(url, database, observations, masterKey, folder, child, lines, owner, eventStore);
  }

  /** The lines of its log. */
  get log(): readonly string[] {
    return this.lines;
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** Kills the process as a crash would; the database is kept. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Asks it to stop; its exit status. The database is kept. */
  async terminate(): Promise<number | null> {
    await this.end('SIGTERM');
    return this.process.exitCode;
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM');
    await rm(this.folder, { recursive: true, force: true });
    if (!this.owner) return;
    await this.database.drop();
    if (this.observations !== this.database) await this.observations.drop();
    await this.eventStore?.stop();
  }

  /** The successor of a killed instance takes over its database and event store. */
  private bequeath(): boolean {
    if (!this.hasExited || !this.owner) return false;
    this.owner = false;
    return true;
  }

  private get hasExited(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** The requests that fail afterwards would not say why. */
  private reportExit(status: number | string | null): void {
    if (this.isEnding || status === 0) return;
    const lines = this.lines.slice(-15).join('\n');
    process.stderr.write(`a service under test exited with ${String(status)} without being stopped by its test:\n${lines}\n`);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.hasExited) return;
    this.isEnding = true;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill(signal);
    await ended;
  }
}

function unref(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  // Sockets, as always where a process is spawned with pipes.
  for (const stream of [child.stdout, child.stderr] as readonly (Socket | null)[]) stream?.unref();
}

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  return database;
}

/**
 * With TEST_EVENTSTORE, the command that starts a real server or `double`, each service has its own event store. TEST_EVENTSTORE_URL names one that runs already and is
 * empty: for a run with a single service.
 */
async function ownEventStore(env: Readonly<Record<string, string>>): Promise<EventStoreNode | null> {
  const command = process.env['TEST_EVENTSTORE'];
  const url = process.env['TEST_EVENTSTORE_URL'];
  if (url !== undefined && !('EVENTSTORE_URL' in env)) return { url, stop: () => Promise.resolve() };
  if (command === undefined || 'EVENTSTORE_URL' in env) return null;
  if (command !== 'double') return startEventStoreNode(command);
  const { KurrentDbDouble } = await import('./kurrentdb-double/kurrentdb-double.ts');
  return KurrentDbDouble.start();
}

function addressOf(child: ChildProcess, lines: string[]): Promise<string> {
  return new Promise((found, failed) => {
    const fail = (reason: string): void => {
      child.kill('SIGKILL');
      failed(new Error(`the service did not start: ${reason}\n${lines.join('\n')}`));
    };
    const timer = setTimeout(() => {
      fail(`not ready within ${String(START_MS)} ms`);
    }, START_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`it ended with ${String(code)}`);
    });
    const read = (line: string): void => {
      lines.push(line);
      const address = /"address":"([^"]+)"/.exec(line)?.[1];
      if (address === undefined || !line.includes('"ready"')) return;
      clearTimeout(timer);
      found(address);
    };
    for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', read);
  });
}
