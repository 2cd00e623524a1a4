import type pg from 'pg';
import type { Leases } from '../../persistence/leases.ts';
import { openPool } from '../../persistence/pool.ts';
import type { Wake } from '../../persistence/wake.ts';
import type { Log } from '../../log/log.ts';
import type { Projection } from '../authoring/define-projection.ts';
import type { View } from '../authoring/define-view.ts';
import { LeasedLoop } from '../../persistence/leased-loop.ts';
import type { Trouble } from '../views/row.ts';
import { SetLife } from './set-life.ts';
import { teamUnit } from '../views/unit.ts';
import { ViewLife } from '../views/view-life.ts';
import { runnerLeaseOf, schemaOf } from '../engine/schema-names.ts';

/** Three connections: reading the log, writing, and a fill beside. */
const CONNECTIONS = 3;

export interface TeamOptions {
  readonly url: string;
  readonly wake: Wake;
  readonly leases: Leases;
  /** Over the projection's own pool, so that its reading takes no connection from anybody. */
  readonly openLog: (pool: pg.Pool) => Log;
  readonly report: (name: string, error: unknown) => void;
  /** An event could not be taken, and what belongs together with it waits. */
  readonly parked: (trouble: Trouble) => void;
}

export const isProjection = (candidate: Projection | View): candidate is Projection => 'kind' in candidate;

interface Running {
  readonly loop: LeasedLoop;
  readonly pool: pg.Pool;
}

/** The projections of teams, each with a pool, a lease and a checkpoint of its own: what one of them does holds up nobody else. */
export class TeamProjections {
  private readonly running: readonly Running[];

  constructor(
    private readonly options: TeamOptions,
    projections: readonly (Projection | View)[],
  ) {
    this.running = projections.map((projection) => this.prepare(projection));
  }

  start(): void {
    for (const { loop } of this.running) loop.start();
  }

  async close(): Promise<void> {
    await Promise.all(
      this.running.map(async ({ loop, pool }) => {
        await loop.close();
        await pool.end();
      }),
    );
  }

  private prepare(projection: Projection | View): Running {
    const { url, leases } = this.options;
    const { name } = projection;
    const pool = openPool(url, { name: `projection ${name}`, max: CONNECTIONS, statementTimeoutMs: 0, synchronousCommit: false });
    const report = (error: unknown): void => {
      this.options.report(name, error);
    };
    const life = this.lifeOf(projection, pool, report);
    return {
      pool,
      loop: new LeasedLoop({ name: runnerLeaseOf(schemaOf(projection)), leases, work: (signal) => life.work(signal), report }),
    };
  }

  private lifeOf(projection: Projection | View, db: pg.Pool, report: (error: unknown) => void): SetLife | ViewLife {
    const { wake, parked } = this.options;
    const log = this.options.openLog(db);
    if (isProjection(projection)) return new SetLife({ projection, log, db, wake, report, parked });
    const nobodyWaits = { advance: () => undefined, runningHere: () => undefined };
    return new ViewLife({ unit: teamUnit(projection), log, db, wake, readYourWrites: nobodyWaits, report, parked });
  }
}
