import type pg from 'pg';
import type { Log } from '../platform/log/log.ts';
import { ConnectionSilent, type ConnectionWatch } from '../platform/postgres/connection-watch.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import type { Leases } from '../platform/postgres/leases.ts';
import { openPool } from '../platform/postgres/pool.ts';
import type { Wake } from '../platform/postgres/wake.ts';
import { park, type ParkedEvent, parkedEventOf } from '../platform/read-models/engine/parked-events.ts';
import { runnerLeaseOf, schemaOf } from '../platform/read-models/engine/schema-names.ts';
import { setLifecycle } from '../platform/read-models/sets/set-lifecycle.ts';
import { viewLifecycle } from '../platform/read-models/views/view-lifecycle.ts';
import type { TeamAccess } from './calls.ts';
import { openTeamAccess, type TeamDatabaseOptions } from './database/team-database.ts';
import { ensureTeamRole } from './database/team-role.ts';
import type { ProjectionShape } from './manifest.ts';
import { TeamProcessEnded } from './process/running-child.ts';
import type { TeamProcess } from './process/team-process.ts';
import { teamTarget } from './process/team-target.ts';
import { type TeamLoop, TeamLoops } from './team-loops.ts';
import type { Applying } from '../platform/read-models/sets/set-work.ts';

interface FatalEventsOptions {
  readonly pool: pg.Pool;
  readonly log: Pick<Log, 'read'>;
  readonly projection: { readonly name: string; readonly version: number };
  readonly onParked: (parked: ParkedEvent) => void;
}

/** Ends in a row at the same event: one may have had another cause, such as a view or a route of the package. */
const REPEATS = 2;

class EndedProcess extends Error {
  override readonly name = 'EndedProcess';
}

/**
 * Events that end the process of a set projection, by a crash or an endless loop. After an end within a page, its events are applied one by one, each announced before; an event at
 * which the process ends twice is parked with its partition, as one that the handler refuses.
 */
class FatalEvents {
  private until = -1;
  private suspect: { readonly n: number; readonly partition: string; readonly reason: string; readonly ends: number } | null = null;

  constructor(private readonly options: FatalEventsOptions) {}

  /** For the next runner. */
  get oneByOneUntil(): number {
    return this.until;
  }

  note(applying: Applying | undefined, reason: string): void {
    if (applying === undefined) return;
    const { first, last, partition } = applying;
    this.until = Math.max(this.until, last);
    if (partition === null) return;
    this.suspect = { n: first, partition, reason, ends: this.suspect?.n === first ? this.suspect.ends + 1 : 1 };
  }

  /** Before the next runner begins. */
  async parkRepeated(): Promise<void> {
    const { pool, log, projection, onParked } = this.options;
    if (this.suspect === null || this.suspect.ends < REPEATS) return;
    const { n, partition, reason } = this.suspect;
    this.suspect = null;
    const schema = schemaOf(projection);
    const { rowCount } = await pool.query('SELECT FROM projection WHERE schema = $1 AND n < $2', [schema, n]);
    const [event] = await log.read({ after: n - 1, until: n, limit: 1 });
    if (rowCount === 0 || event === undefined) return;
    const parked = parkedEventOf(projection.name, partition, event, new EndedProcess(reason));
    await park(pool, schema, parked);
    onParked(parked);
  }
}

/** Connections of a projection beside those of its own role: one reads its state, one publishes or swaps. */
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
