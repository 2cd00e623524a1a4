import type pg from 'pg';
import type { Log } from '../platform/log/log.ts';
import { ConnectionSilent, type ConnectionWatch } from '../platform/postgres/connection-watch.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import type { Leases } from '../platform/postgres/leases.ts';
import { openPool } from '../platform/postgres/pool.ts';
import type { Wake } from '../platform/postgres/wake.ts';
import type { ParkedEvent } from '../platform/read-models/engine/parked-events.ts';
import { runnerLeaseOf, schemaOf } from '../platform/read-models/engine/schema-names.ts';
import { setLifecycle } from '../platform/read-models/sets/set-lifecycle.ts';
import { viewLifecycle } from '../platform/read-models/views/view-lifecycle.ts';
import type { TeamAccess } from './calls.ts';
import { openTeamAccess, type TeamDatabaseOptions } from './database/team-database.ts';
import { ensureTeamRole } from './database/team-role.ts';
import { FatalEvents } from './fatal-events.ts';
import type { ProjectionShape } from './manifest.ts';
import { TeamProcessEnded } from './process/running-child.ts';
import type { TeamProcess } from './process/team-process.ts';
import { teamTarget } from './process/team-target.ts';
import { type TeamLoop, TeamLoops } from './team-loops.ts';

/** Of a projection, beside those of its own role: one reads its state, one publishes or swaps. */
const CONNECTIONS = 2;

export interface TeamProjectionsOptions extends TeamDatabaseOptions {
  readonly watch?: ConnectionWatch | undefined;
  readonly wake: Wake;
  readonly leases: Leases;
  readonly openLog: (pool: pg.Pool) => Log;
  readonly report: (name: string, error: unknown) => void;
  readonly onParked: (parked: ParkedEvent) => void;
}

/**
 * The projections of teams, each with its own pool, lease and checkpoint, so that none slows or stops another one. The service leads: it creates schemas, publishes, pauses and
 * rebuilds. The code of a package applies the events in a process and with a database role of its own.
 */
export class TeamProjections {
  private readonly loops: TeamLoops;

  constructor(
    private readonly options: TeamProjectionsOptions,
    teams: readonly TeamProcess[],
  ) {
    this.loops = new TeamLoops(
      teams,
      teams.flatMap((team) => team.manifest.projections.map((projection) => this.prepare(team, projection))),
    );
  }

  start(): void {
    this.loops.start();
  }

  close(): Promise<void> {
    return this.loops.close();
  }

  private prepare(team: TeamProcess, projection: ProjectionShape): TeamLoop {
    const { url, watch, leases } = this.options;
    const { name } = projection;
    const pool = openPool(url, { name: `projection ${name}`, max: CONNECTIONS, hasLongStatements: true, synchronousCommit: false, watch });
    pool.on('error', (error) => {
      // The connections of the process are not watched: they end at the same server.
      if (error instanceof ConnectionSilent) void team.child?.call('dropConnections', null).catch(() => undefined);
    });
    const report = (error: unknown): void => {
      // Reported once for the process.
      if (!(error instanceof TeamProcessEnded)) this.options.report(name, error);
    };
    let access: TeamAccess | undefined;
    const fatal = new FatalEvents({ pool, log: this.options.openLog(pool), projection, onParked: this.options.onParked });
    const work = async (signal: AbortSignal): Promise<void> => {
      const child = await team.running(signal);
      access ??= await openTeamAccess(this.options, name, (secret) => ensureTeamRole(pool, projection, secret));
      await fatal.parkRepeated();
      await child.call('connect', { projection: name, access });
      const options = { log: this.options.openLog(pool), db: pool, wake: this.options.wake, report };
      const target = teamTarget(child, projection, pool, access);
      const lifecycle =
        target.kind === 'set' ? setLifecycle(target.set, options, fatal.oneByOneUntil) : viewLifecycle({ ...options, ...target });
      try {
        await lifecycle.run(AbortSignal.any([signal, child.signal]));
      } finally {
        if (child.signal.aborted && !signal.aborted) fatal.note(child.lastApplying(schemaOf(projection)), await child.ended);
      }
    };
    return { loop: new LeasedLoop({ name: runnerLeaseOf(schemaOf(projection)), leases, work, report }), pool };
  }
}
