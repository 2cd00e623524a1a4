import { afterEach, beforeEach, expect } from '@jest/globals';
import type { Leases } from '../../src/platform/postgres/leases.ts';
import { PostgresLeases } from '../../src/platform/postgres/postgres-leases.ts';
import { LocalWake } from '../../src/platform/postgres/wake.ts';
import { KurrentDbEventStore } from '../../src/platform/event-store/kurrentdb/kurrentdb-event-store.ts';
import { Mirror } from '../../src/platform/log/mirror.ts';
import type { MirrorSource } from '../../src/platform/log/mirror-fill.ts';
import { PostgresLog } from '../../src/platform/log/postgres-log.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { KurrentDbDouble } from './kurrentdb-double/kurrentdb-double.ts';
import { sampleEvent } from './kurrentdb-double/sample-events.ts';
import { until } from './until.ts';

const PATIENCE = { attemptMs: 2_000, silenceMs: 200, identityMs: 500 };
const LONG_MS = 90_000;

/** An event store double, the table that mirrors it, and the mirrors that a test starts between them. */
export class MirrorWorld {
  readonly wake = new LocalWake();
  /** Errors that the mirrors reported. */
  readonly reports: string[] = [];
  readonly log: PostgresLog;
  private readonly mirrors: Mirror[] = [];
  private readonly leasing: Leases[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly double: KurrentDbDouble,
    readonly store: KurrentDbEventStore,
  ) {
    this.log = new PostgresLog(database.pool, this.wake);
  }

  static async open(): Promise<MirrorWorld> {
    const double = await KurrentDbDouble.start();
    return new MirrorWorld(await createTestDatabase(), double, new KurrentDbEventStore(double.url, PATIENCE));
  }

  mirror(leases = this.aLease(), source: MirrorSource = this.store): Mirror {
    const report = (error: unknown): void => void this.reports.push(error instanceof Error ? error.message : String(error));
    const started = new Mirror({ source, pool: this.database.pool, wake: this.wake, leases, report, retryMs: 50 });
    started.start();
    this.mirrors.push(started);
    return started;
  }

  aLease(kind = PostgresLeases): Leases {
    const leases = new kind(this.database.url, this.wake, { pollMs: 50 });
    this.leasing.push(leases);
    return leases;
  }

  /** The store with another way to follow it. */
  heardBy(follow: MirrorSource['follow']): MirrorSource {
    const { store } = this;
    return { idAt: (position) => store.idAt(position), readStream: (stream, options) => store.readStream(stream, options), follow };
  }

  async stopMirrors(): Promise<void> {
    await Promise.all(this.mirrors.splice(0).map((running) => running.close()));
    await Promise.all(this.leasing.splice(0).map((leases) => leases.close()));
  }

  async write(stream: string, from: number, count: number): Promise<void> {
    for (let revision = from; revision < from + count; revision += 1)
      await this.store.append(stream, revision === 0 ? 'no stream' : revision - 1, [sampleEvent(stream, revision)]);
  }

  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return until(async () => condition(), LONG_MS, `it is so; reports: ${this.reports.join(', ')}`);
  }

  filledTo(n: number): Promise<void> {
    return this.until(async () => (await this.log.head()) >= n);
  }

  async table(): Promise<readonly string[]> {
    const { rows } = await this.database.pool.query<{ row: string }>('SELECT log::text AS row FROM log ORDER BY n');
    return rows.map(({ row }) => row);
  }

  /** The log is the store's own order, each event once. */
  async expectWhole(): Promise<void> {
    const rows = await this.log.read({ after: -1, limit: 100_000 });
    expect(rows.map(({ n }) => n)).toEqual(rows.map((_, index) => index));
    expect(rows.map(({ id }) => id)).toEqual(this.double.events.map(({ id }) => id));
  }

  async close(): Promise<void> {
    await this.stopMirrors();
    await this.store.close();
    await this.double.stop();
    await this.database.drop();
  }
}

/** A new world for each test of a file. */
export function useMirrorWorld(enter: (world: MirrorWorld) => void): void {
  let world: MirrorWorld;
  beforeEach(async () => {
    world = await MirrorWorld.open();
    enter(world);
  });
  afterEach(() => world.close());
}
