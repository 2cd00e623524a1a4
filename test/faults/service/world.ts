import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool } from '../../../src/base/pool.ts';
import { LocalWake } from '../../../src/base/wake.ts';
import type { EventStore } from '../../../src/event-store/event-store.ts';
import { KurrentDbEventStore } from '../../../src/event-store/kurrentdb/kurrentdb-event-store.ts';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.ts';
import { EmbeddedDatabase } from '../../../src/ops/embedded/embedded-database.ts';
import { KurrentDbDouble } from '../../support/kurrentdb-double/kurrentdb-double.ts';
import { ADMIN } from './client.ts';
import { Instance } from './instance.ts';

export type Engine = 'postgres' | 'double';

const DISK_MEGABYTES = 600;
/** As many deaths within a minute as the embedded database forgives; then it is stopped and started in order. */
const DEATHS = 4;

/** A database, perhaps a server of events, and the service on them. */
export class World {
  private deaths = 0;

  private constructor(
    readonly folder: string,
    /** On a small disk of its own, where one could be made. */
    readonly smallDisk: boolean,
    private database: EmbeddedDatabase,
    readonly double: KurrentDbDouble | null,
    readonly env: Readonly<Record<string, string>>,
    readonly store: EventStore,
    public service: Instance,
  ) {}

  static async open(engine: Engine): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'watchledger-faults-'));
    const disk = join(folder, 'disk');
    mkdirSync(disk, { mode: 0o755 });
    const smallDisk = mounted(disk);
    const database = await EmbeddedDatabase.start({ dataDir: join(disk, 'data') });
    const double = engine === 'double' ? await KurrentDbDouble.start() : null;
    const env = {
      DATABASE_URL: database.url,
      MASTER_KEY: randomBytes(32).toString('hex'),
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      ALLOW_TARGETS: '127.0.0.0/8',
      RATE_LIMIT: '0',
      LOG_LEVEL: 'info',
      ...(double === null ? {} : { EVENTSTORE_URL: double.url }),
    };
    const store: EventStore =
      double === null
        ? new PostgresEventStore(openPool(database.url, { name: 'faults', max: 4, statementTimeoutMs: 5_000 }), new LocalWake())
        : new KurrentDbEventStore(double.url);
    const world = new World(folder, smallDisk, database, double, env, store, await Instance.start(folder, env));
    // Whoever stops the test is left with nothing of it.
    const end = (): void => void world.close().finally(() => process.exit(1));
    process.once('SIGINT', end).once('SIGTERM', end);
    return world;
  }

  get url(): string {
    return this.database.url;
  }

  get disk(): string {
    return join(this.folder, 'disk');
  }

  another(): Promise<Instance> {
    return Instance.start(this.folder, this.env);
  }

  async restart(): Promise<void> {
    await this.service.end('SIGKILL');
    this.service = await this.another();
  }

  async killDatabase(): Promise<void> {
    process.kill(parseInt(readFileSync(join(this.disk, 'data', 'postgres', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
    if (++this.deaths < DEATHS) return;
    await this.database.stop();
    this.database = await EmbeddedDatabase.start({ dataDir: join(this.disk, 'data') });
    this.deaths = 0;
  }

  async close(): Promise<void> {
    await this.service.end('SIGKILL');
    await this.double?.stop();
    await this.database.stop();
    if (this.smallDisk) execFileSync('umount', ['-l', this.disk]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function mounted(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(DISK_MEGABYTES)}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
