import type pg from 'pg';
import type { Log } from '../../log/log.ts';
import { LeasedLoop } from '../../persistence/leased-loop.ts';
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
import { openTeamDatabase, type TeamDatabase, type TeamDatabaseOptions } from './team-database.ts';

/** Of a set projection, beside those of its own role: they read the log and the state. */
const SET_CONNECTIONS = 2;
/** One reads the log, one writes, one fills a rebuild. */
const VIEW_CONNECTIONS = 3;

export interface TeamProjectionsOptions extends TeamDatabaseOptions {
  readonly wake: Wake;
  readonly leases: Leases;
  readonly openLog: (pool: pg.Pool) => Log;
  readonly report: (name: string, error: unknown) => void;
  readonly onParked: (parked: ParkedEvent) => void;
}

interface Running {
  readonly loop: LeasedLoop;
  close(): Promise<void>;
}

/**
 * The projections of teams, each with its own pool, lease and checkpoint, so that none slows or stops another one. The SQL of handlers runs with a database role of its
 * own; the rows of views are written by the service.
 */
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
      this.running.map(async (one) => {
        await one.loop.close();
        await one.close();
      }),
    );
  }

  private prepare(projection: Projection | View): Running {
    const { url, watch, leases, wake, onParked } = this.options;
    const { name } = projection;
    const isSet = isSetProjection(projection);
    const max = isSet ? SET_CONNECTIONS : VIEW_CONNECTIONS;
    const pool = openPool(url, { name: `projection ${name}`, max, hasLongStatements: true, synchronousCommit: false, watch });
    const report = (error: unknown): void => {
      this.options.report(name, error);
    };
    const options = { log: this.options.openLog(pool), db: pool, wake, report, onParked };
    let team: TeamDatabase | undefined;
    const work = async (signal: AbortSignal): Promise<void> => {
      if (!isSet) return viewLifecycle({ ...options, unit: teamUnit(projection) }).run(signal);
      team ??= await openTeamDatabase(this.options, name, pool);
      return setLifecycle({ ...options, projection, team }).run(signal);
    };
    return {
      loop: new LeasedLoop({ name: runnerLeaseOf(schemaOf(projection)), leases, work, report }),
      close: async () => {
        if (team !== undefined && team.role !== null) await team.pool.end();
        await pool.end();
      },
    };
  }
}
