import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openPool } from '../../../src/base/pool.ts';
import { LocalWake } from '../../../src/base/wake.ts';
import type { EventStore } from '../../../src/event-store/event-store.ts';
import { KurrentDbEventStore } from '../../../src/event-store/kurrentdb/kurrentdb-event-store.ts';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.ts';
import { KurrentDbDouble } from '../../support/kurrentdb-double/kurrentdb-double.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { ADMIN, StubbornClient } from './client.ts';
import { Deeds } from './deeds.ts';
import { Instance, type Orders } from './instance.ts';
import { MortalPostgres } from './mortal-postgres.ts';
import { Pace } from './pace.ts';
import { PostgresClock } from './postgres-clock.ts';
import { dead } from './strike-at.ts';

export type Engine = 'postgres' | 'double';

const DISK_MEGABYTES = 700;
export const TEAM = resolve(import.meta.dirname, 'titles.projection.ts');

/** A database, perhaps a server of events, and the service on them. */
export class World {
  /** How often each died, by SIGKILL. */
  readonly deaths = { service: 0, postgres: 0 };
  /** Deaths of the service by its own orders, and those whose moment did not come. */
  atTheMoment = 0;
  missed = 0;
  /** Days that wait to be closed, or are. */
  readonly closed: { readonly projectId: string; readonly day: string }[] = [];
  readonly pace = new Pace();
  /** Told before something dies and after it is there again: what is on its way meanwhile may come once more. */
  onCrash: { readonly begins: () => void; readonly over: () => void } = { begins: () => undefined, over: () => undefined };

  private constructor(
    readonly folder: string,
    /** On a small disk of its own, where one could be made. */
    readonly smallDisk: boolean,
    /** Null where there is no libfaketime. */
    readonly postgresClock: PostgresClock | null,
    private readonly postgres: MortalPostgres,
    private readonly witness: Receiver,
    readonly url: string,
    readonly double: KurrentDbDouble | null,
    readonly env: Readonly<Record<string, string>> & { readonly MASTER_KEY: string },
    readonly pool: pg.Pool,
    readonly store: EventStore,
    public service: Instance,
  ) {}

  static async open(engine: Engine): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'watchledger-faults-'));
    const disk = join(folder, 'disk');
    mkdirSync(disk, { mode: 0o755 });
    const smallDisk = mounted(disk);
    const clock = PostgresClock.in(disk);
    const postgres = await MortalPostgres.start(join(disk, 'data'), clock);
    const url = await postgres.create('watchledger');
    const double = engine === 'double' ? await KurrentDbDouble.start() : null;
    const witness = await startReceiver();
    const env = {
      DATABASE_URL: url,
      MASTER_KEY: randomBytes(32).toString('hex'),
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      ALLOW_TARGETS: '127.0.0.0/8',
      REGISTRATION: 'open',
      RATE_LIMIT: '0',
      LOG_LEVEL: 'info',
      PROJECTIONS: TEAM,
      CHECKPOINT_URL: `${witness.url}/checkpoint`,
      ...(double === null ? {} : { EVENTSTORE_URL: double.url }),
    };
    const pool = openPool(url, { name: 'faults', max: 4, statementTimeoutMs: 5_000 });
    const store: EventStore = double === null ? new PostgresEventStore(pool, new LocalWake()) : new KurrentDbEventStore(double.url);
    const world = new World(folder, smallDisk, clock, postgres, witness, url, double, env, pool, store, new Instance(folder, env));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, world.stopped);
    try {
      await world.service.ready();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  /** Every checkpoint that the witness was told of. */
  get notes(): readonly string[] {
    return this.witness.received.map(({ body }) => body);
  }

  get disk(): string {
    return join(this.folder, 'disk');
  }

  /** The url of a database of its own, in the same Postgres. */
  create(name: string): Promise<string> {
    return this.postgres.create(name);
  }

  launch(orders?: Orders): Instance {
    return new Instance(this.folder, this.env, orders);
  }

  /** A death of the service: by us now, or by orders that it has. */
  async killed(death: () => Promise<void> = () => this.service.end()): Promise<void> {
    this.onCrash.begins();
    await death();
    this.deaths.service++;
  }

  /** A new instance in the place of the one that died. */
  async restart(): Promise<void> {
    const service = this.launch();
    await service.ready();
    this.took(service);
  }

  /** An instance that is ready stands in the place of the one that died. */
  took(service: Instance): void {
    this.service = service;
    this.onCrash.over();
  }

  async startAndKill(afterMs: number): Promise<void> {
    this.service = this.launch();
    await sleep(afterMs);
    await this.killed();
  }

  async startAndDie(dieAt: Required<Orders>['dieAt'], withinMs: number): Promise<void> {
    this.service = this.launch({ dieAt });
    await this.killed(() => dead(this, this.service.dies(withinMs)));
  }

  /** Who signs in as the first account. */
  admin(): StubbornClient {
    return new StubbornClient(() => this.service.address, new Deeds());
  }

  async killPostgres(): Promise<void> {
    this.onCrash.begins();
    await this.postgres.die();
    this.deaths.postgres++;
    this.onCrash.over();
  }

  /** Whoever stops the test is left with nothing of it. */
  private readonly stopped = (): void => void this.close().finally(() => process.exit(1));

  async close(): Promise<void> {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, this.stopped);
    await this.service.end();
    await this.store.close();
    await this.pool.end();
    await this.double?.stop();
    await this.witness.close();
    await this.postgres.stop();
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
