import type pg from 'pg';
import type { Log } from '../../log/log.ts';
import { LeasedLoop } from '../../persistence/leased-loop.ts';
import type { ConnectionWatch } from '../../persistence/connection-watch.ts';
import type { Leases } from '../../persistence/leases.ts';
import { openPool } from '../../persistence/pool.ts';
import type { Wake } from '../../persistence/wake.ts';
import { isSetProjection, type Projection } from '../authoring/define-projection.ts';
import type { View } from '../authoring/define-view.ts';
import type { ParkedEvent } from '../engine/parked-events.ts';
import { runnerLeaseOf, schemaOf } from '../engine/schema-names.ts';
import { teamUnit } from '../views/unit.ts';
import { viewLifecycle } from '../views/view-lifecycle.ts';
import { setLifecycle } from './set-lifecycle.ts';

/** One reads the log, one writes, one fills a rebuild. */
const CONNECTIONS = 3;

export interface TeamProjectionsOptions {
  readonly url: string;
  readonly watch?: ConnectionWatch;
  readonly wake: Wake;
  readonly leases: Leases;
  readonly openLog: (pool: pg.Pool) => Log;
  readonly report: (name: string, error: unknown) => void;
  readonly onParked: (parked: ParkedEvent) => void;
}

interface Running {
  readonly loop: LeasedLoop;
  readonly pool: pg.Pool;
}

/** The projections of teams, each with its own pool, lease and checkpoint, so that none slows or stops another one. */
export class TeamProjections {
  private readonly running: readonly Running[];

  constructor(
    private readonly options: TeamProjectionsOptions,
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
    const { url, watch, leases, wake, onParked } = this.options;
    const { name } = projection;
    const pool = openPool(url, { name: `projection ${name}`, max: CONNECTIONS, hasLongStatements: true, synchronousCommit: false, watch });
    const report = (error: unknown): void => {
      this.options.report(name, error);
    };
    const options = { log: this.options.openLog(pool), db: pool, wake, report, onParked };
    const lifecycle = isSetProjection(projection)
      ? setLifecycle({ ...options, projection })
      : viewLifecycle({ ...options, unit: teamUnit(projection) });
    return {
      pool,
      loop: new LeasedLoop({ name: runnerLeaseOf(schemaOf(projection)), leases, work: (signal) => lifecycle.run(signal), report }),
    };
  }
}
