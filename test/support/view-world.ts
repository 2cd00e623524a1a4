import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type pg from 'pg';
import { openPool } from '../../src/platform/postgres/pool.ts';
import { PostgresLeases } from '../../src/platform/postgres/postgres-leases.ts';
import { PostgresWake } from '../../src/platform/postgres/wake-postgres.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { textColumn } from '../../src/platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../../src/platform/read-models/authoring/define-view.ts';
import { LeasedLoop } from '../../src/platform/postgres/leased-loop.ts';
import { SpecLog } from '../../src/platform/read-models/testing/spec-log.ts';
import { type ViewUnit, viewUnit } from '../../src/platform/read-models/views/unit.ts';
import { viewLifecycle } from '../../src/platform/read-models/views/view-lifecycle.ts';
import { UnitViews } from '../../src/platform/read-models/views/unit-views.ts';
import { ReadYourWrites } from '../../src/platform/read-models/engine/read-your-writes.ts';
import { createTestDatabase, emptied, type TestDatabase } from './database.ts';
import { until } from './until.ts';
import { runnerLeaseOf } from '../../src/platform/read-models/engine/schema-names.ts';
import { projectStream } from '../../src/kernel/stream-names.ts';

export interface Title {
  readonly title: string;
  readonly changes: number;
}

/** A title that cannot be folded. */
export const POISON = 'POISON';
export const titlesOf = (version: number) =>
  defineView<Title>()({
    name: 'titles',
    version,
    scope: 'project',
    key: scopeId,
    on: {
      ProjectRenamed: (row, { data }) => {
        if (data.to === POISON) throw new Error('this title cannot be folded');
        return { title: data.to, changes: (row?.changes ?? 0) + 1 };
      },
    },
    columns: { title: textColumn((row: Title) => row.title) },
  });
export const titles = titlesOf(1);
export const unit = viewUnit('spec', [titles]);

/** One instance of the service that shares the views' database. */
export class ViewInstance {
  readonly wake: PostgresWake;
  readonly leases: PostgresLeases;
  readonly errors: unknown[] = [];
  readonly readYourWrites: ReadYourWrites;
  readonly views: UnitViews;
  private readonly db: pg.Pool;
  private readonly loop: LeasedLoop | undefined;

  constructor(url: string, log: SpecLog, runs: boolean, of: ViewUnit) {
    const wake = new PostgresWake(url);
    const leases = new PostgresLeases(url, wake);
    const db = openPool(url, { name: 'core', max: 4 });
    this.wake = wake;
    this.leases = leases;
    this.db = db;
    this.readYourWrites = new ReadYourWrites({ schema: of.schema, db, log, wake, clock: systemClock });
    this.views = new UnitViews(of, log, db, () => this.readYourWrites.position());
    if (!runs) return;
    const report = (error: unknown) => this.errors.push(error);
    const lifecycle = viewLifecycle({ unit: of, log, db, wake, readYourWrites: this.readYourWrites, report });
    this.loop = new LeasedLoop({ name: runnerLeaseOf(of.schema), leases, work: (signal) => lifecycle.run(signal), report });
    this.loop.start();
  }

  async start(): Promise<this> {
    await this.readYourWrites.start();
    return this;
  }

  async close(): Promise<void> {
    await this.loop?.close();
    await this.readYourWrites.close();
    await this.leases.close();
    await this.wake.close();
    await this.db.end();
  }
}

/** A log that a test fills, and the instances that read it. */
export class ViewWorld {
  readonly log: SpecLog;
  private readonly instances = new Set<ViewInstance>();

  constructor(private readonly database: TestDatabase) {
    this.log = new SpecLog(database.pool);
  }

  get pool(): pg.Pool {
    return this.database.pool;
  }

  async instance(part: 'runs' | 'reads', of = unit): Promise<ViewInstance> {
    const made = new ViewInstance(this.database.url, this.log, part === 'runs', of);
    this.instances.add(made);
    return made.start();
  }

  async end(instance: ViewInstance): Promise<void> {
    this.instances.delete(instance);
    await instance.close();
  }

  async rename(id: string, to: string, ...notified: readonly ViewInstance[]): Promise<number> {
    const { n } = await this.log.append(projectStream(id), 'ProjectRenamed', { from: '', to });
    for (const { wake } of notified) wake.ring('log');
    return n;
  }

  async close(): Promise<void> {
    await Promise.all([...this.instances].map((instance) => instance.close()));
  }
}

export const soon = (): number => Date.now() + 200_000;

export const eventually = (condition: () => Promise<boolean>): Promise<void> => until(condition, 15_000);

/** An empty log for each test of a file, in one database. */
export function useViewWorld(enter: (world: ViewWorld) => void): void {
  let database: TestDatabase;
  let world: ViewWorld;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    await emptied(database);
    world = new ViewWorld(database);
    enter(world);
  });
  afterEach(() => world.close());
  afterAll(() => database.drop());
}
