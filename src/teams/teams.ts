import type { DynamicModule } from '@nestjs/common';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import type { LongRunning } from '../kernel/lifecycle.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import { PostgresLog } from '../platform/log/postgres-log.ts';
import type { TeamTarget } from '../platform/read-models/admin/replay-into.ts';
import type { ParkedEvent } from '../platform/read-models/engine/parked-events.ts';
import { SessionGuard } from './database/session-guard.ts';
import { openTeamAccess, type TeamDatabaseOptions } from './database/team-database.ts';
import { ensureTablesRole, ensureTeamRole } from './database/team-role.ts';
import type { TeamAccess } from './calls.ts';
import { routeModule } from './process/route-module.ts';
import { TeamPackageRefused, TeamProcess } from './process/team-process.ts';
import { teamTarget } from './process/team-target.ts';
import { TeamRoutes } from './process/team-routes.ts';
import type { ReactorShape } from './manifest.ts';
import { hideEnvironment } from './process/hidden-environment.ts';
import { childEnvironment, type RunningChild } from './process/running-child.ts';
import { consumerOfReactor } from './reactors/reactor-consumer.ts';
import { TeamReactors } from './reactors/team-reactors.ts';
import { TeamProjections } from './team-projections.ts';
import type { ConnectionWatch } from '../platform/postgres/connection-watch.ts';
import type { Leases } from '../platform/postgres/leases.ts';
import type { ReadReplicas } from '../platform/postgres/read-replicas/read-replicas.ts';
import type { Wake } from '../platform/postgres/wake.ts';
import type { Secrets } from '../platform/security/keyring/secrets.ts';

/** Reasons are shown to operators. */
const MAX_REASON = 1_000;

/** What the processes of a package work for. */
interface WorkOfPackage {
  readonly projections: readonly string[];
  readonly consumers: readonly string[];
}

/** How the processes of packages ended, where every instance can show it (`/ops/projections`, `/ops/consumers`). */
class ProcessStates {
  constructor(private readonly db: pg.Pool) {}

  async noteEnd(team: string, { projections, consumers }: WorkOfPackage, reason: string): Promise<void> {
    await this.db.query(
      `INSERT INTO team_process AS p SELECT name, $2, 1, now(), $3, true FROM unnest($1::text[]) AS name
       ON CONFLICT (projection) DO UPDATE SET package = excluded.package, ends = p.ends + 1, ended_at = now(), reason = excluded.reason, is_down = true`,
      [projections, team, reason.slice(0, MAX_REASON)],
    );
    const error = `its process ended and is started again: ${reason.slice(0, MAX_REASON)}`;
    await this.db.query('UPDATE consumer SET error = $2 WHERE name = ANY($1::text[])', [consumers, error]);
  }

  async noteRunning({ projections, consumers }: WorkOfPackage): Promise<void> {
    await this.db.query('UPDATE team_process SET is_down = false WHERE projection = ANY($1::text[]) AND is_down', [projections]);
    await this.db.query('UPDATE consumer SET error = NULL WHERE name = ANY($1::text[]) AND error IS NOT NULL', [consumers]);
  }
}

/** Beside the bundle of the service. */
const ENTRY = new URL('./team.js', import.meta.url);

type TeamConfig = Pick<Config, 'projections' | 'teamEnv' | 'teamMemoryMb'>;

interface TeamResources {
  readonly pool: pg.Pool;
  readonly viewPool: pg.Pool;
  readonly replicas: ReadReplicas | null;
  readonly databaseUrl: string;
  readonly connectionWatch: ConnectionWatch;
  readonly wake: Wake;
  readonly leases: Leases;
  readonly secrets: Secrets;
  readonly logger: Logger;
}

/** What the service itself has: no package may replace it. */
export interface OfService {
  readonly views: readonly { readonly name: string }[];
  readonly isOperation: (operation: string) => boolean;
}

/** The packages of `PROJECTIONS`, each in a process of its own. */
export class Teams {
  processes: readonly TeamProcess[] = [];
  /** The address of this instance for programs on this machine, once it listens. */
  address = '';
  private states: ProcessStates | undefined;

  private constructor(private readonly logger: Logger) {}

  /** Starts the processes; a package that cannot be loaded refuses the start. */
  static async load(config: TeamConfig, logger: Logger, service: OfService): Promise<Teams> {
    const teams = new Teams(logger);
    if (config.projections.length > 0 && !hideEnvironment())
      logger.warn('packages run as the user of the service, and on this system can read its environment (docs/security.md)');
    teams.processes = await allOrNone(config.projections.map((from) => teams.start(from, config)));
    try {
      refuseConflicts(teams.processes, service);
    } catch (error) {
      await teams.close();
      throw error;
    }
    return teams;
  }

  /** The parts that guard and close them, once the database is open. */
  guards({ pool, viewPool }: TeamResources): readonly LongRunning[] {
    if (this.processes.length === 0) return [];
    this.states = new ProcessStates(pool);
    for (const { from, child } of this.processes) if (child !== null) this.noteRunning(from);
    const guard = new SessionGuard(viewPool, (session) => {
      this.logger.warn({ ...session }, 'database session of a package ended: it held what others may wait for');
    });
    return [guard, { name: 'processes of packages', start: () => undefined, close: () => this.close() }];
  }

  /** Refuses the start of reactors that get `WATCHLEDGER_TOKEN` for commands, and have no API to send them to. */
  async refuseUnfit(config: Config): Promise<void> {
    const team = this.processes.find(({ manifest }) => manifest.reactors.length > 0);
    const isAsked = team !== undefined && config.roles.includes('reactor') && config.teamEnv.includes('WATCHLEDGER_TOKEN');
    if (!isAsked || apiAddress(config, '') !== '') return;
    await this.close();
    throw new StartRefused(
      `${team.from}: TEAM_ENV gives its reactors WATCHLEDGER_TOKEN for commands, and this instance has no API to send them to: set PUBLIC_URL to the address of the API, or add the role api`,
    );
  }

  /** They run independently of each other. */
  projections(resources: TeamResources): LongRunning {
    const { connectionWatch: watch, wake, leases } = resources;
    return new TeamProjections(
      {
        ...databaseOptions(resources),
        watch,
        wake,
        leases,
        openLog: (pool) => new PostgresLog(pool, wake),
        report: (projection, error) => {
          this.logger.error({ projection, err: error }, 'projection failed; retrying');
        },
        onParked: reportParked(this.logger),
      },
      this.processes,
    );
  }

  /** Commands go to the API of this instance where no public address is set. */
  reactors(config: Config, { databaseUrl: url, connectionWatch: watch, wake, leases }: TeamResources): LongRunning {
    return new TeamReactors(
      {
        url,
        watch,
        wake,
        leases,
        openLog: (pool) => new PostgresLog(pool, wake),
        effects: { allowed: config.allowHooks, denied: config.denyTargets },
        api: () => apiAddress(config, this.address),
        report: (reactor, error) => {
          this.logger.error({ reactor, err: error }, 'reactor failed; retrying');
        },
        onParked: (reactor, { id, n, type, scope }, error) => {
          this.logger.warn(
            { reactor, event: id, n, type, parked: scope, reason: error instanceof Error ? error.message : String(error) },
            'event of a reactor parked: its project or account waits and is tried again, the rest continues: watchledger consumers retry|skip NAME EVENT',
          );
        },
      },
      this.processes,
    );
  }

  /** The routes of packages, as modules of the API, and the part that serves and closes them. */
  routes(resources: TeamResources): { readonly modules: readonly DynamicModule[]; readonly serving: LongRunning } {
    const withRoutes = this.processes.filter(({ manifest }) => manifest.routes.length > 0);
    const opened = withRoutes.map((team) => routesOfTeam(resources, team));
    const serving: LongRunning = {
      name: 'routes of packages',
      // A module that Nest cannot put together in the process of the package refuses the start.
      start: async () => {
        for (const routes of opened) if (routes.team.child !== null) await routes.serve(routes.team.child);
      },
      close: async () => {
        await Promise.all(opened.map((routes) => routes.close()));
      },
    };
    return { modules: opened.map(routeModule), serving };
  }

  /** The projections of teams for a replay, whose tables `db` creates. */
  async replayTargets(resources: TeamResources, db: pg.Pool): Promise<readonly TeamTarget[]> {
    const targets: TeamTarget[] = [];
    for (const { child, manifest } of this.processes) {
      if (child === null) continue;
      for (const projection of manifest.projections) {
        const ensure = (secret: Uint8Array) => ensureTeamRole(db, projection, secret);
        const access = await openTeamAccess(databaseOptions(resources), projection.name, ensure);
        await child.call('connect', { projection: projection.name, access });
        targets.push(teamTarget(child, projection, db, access));
      }
    }
    return targets;
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((team) => team.close()));
  }

  private async start(from: string, { teamEnv, teamMemoryMb }: TeamConfig): Promise<TeamProcess> {
    const { logger } = this;
    try {
      return await TeamProcess.start({
        from,
        folder: process.cwd(),
        entry: ENTRY,
        memoryMb: teamMemoryMb,
        env: childEnvironment(process.env, teamEnv),
        onOutput: (line) => {
          logger.info({ package: from, line }, 'output of a package');
        },
        onParked: reportParked(logger),
        onUncaught: ({ message, stack }) => {
          logger.error(
            { package: from, reason: message, stack },
            'unhandled error in team code: a handler must await or return every promise that it starts',
          );
        },
        onEnded: (reason) => {
          this.noteEnd(from, reason);
        },
        onRunning: () => {
          this.noteRunning(from);
        },
      });
    } catch (error) {
      if (error instanceof TeamPackageRefused) throw new StartRefused(error.message, { cause: error });
      throw error;
    }
  }

  private noteEnd(from: string, reason: string): void {
    this.logger.error({ package: from, reason }, 'process of a package ended; it is started again');
    this.states?.noteEnd(from, this.workOf(from), reason).catch(() => undefined);
  }

  private noteRunning(from: string): void {
    this.states?.noteRunning(this.workOf(from)).catch(() => undefined);
  }

  /** A reactor by its name, with the process that runs it. */
  reactor(name: string): { readonly child: RunningChild; readonly reactor: ReactorShape } | null {
    for (const { child, manifest } of this.processes) {
      const reactor = manifest.reactors.find((candidate) => candidate.name === name);
      if (reactor !== undefined && child !== null) return { child, reactor };
    }
    return null;
  }

  private workOf(from: string): WorkOfPackage {
    const manifest = this.processes.find((team) => team.from === from)?.manifest;
    return {
      projections: (manifest?.projections ?? []).map(({ name }) => name),
      consumers: (manifest?.reactors ?? []).map(({ name }) => consumerOfReactor(name)),
    };
  }
}

const reportParked =
  (logger: Logger) =>
  ({ view: projection, key, type, n, eventId, error }: ParkedEvent): void => {
    logger.warn(
      { projection, event: eventId, type, n, parked: key, reason: error },
      'event parked: its row or partition waits, the rest of the projection continues; fix the handler and retry, or skip the event: watchledger projections retry|skip NAME EVENT',
    );
  };

/** All, or the first failure after the others were closed. */
async function allOrNone(starting: readonly Promise<TeamProcess>[]): Promise<readonly TeamProcess[]> {
  const results = await Promise.allSettled(starting);
  const failed = results.find(({ status }) => status === 'rejected');
  const processes = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (failed?.status !== 'rejected') return processes;
  await Promise.all(processes.map((team) => team.close()));
  throw failed.reason;
}

/** Names of projections are names of schemas, and no package replaces a route of the service. */
function refuseConflicts(processes: readonly TeamProcess[], { views, isOperation }: OfService): void {
  const known = new Map(['core', ...views.map(({ name }) => name)].map((name) => [name, 'the service itself']));
  const reactors = new Map<string, string>();
  for (const { from, manifest } of processes) {
    for (const { name } of manifest.projections) {
      const other = known.get(name);
      if (other !== undefined) throw new StartRefused(`${from}: a projection ${name} exists already, from ${other}; choose another name`);
      known.set(name, from);
    }
    for (const { name } of manifest.reactors) {
      const other = reactors.get(name);
      if (other !== undefined) throw new StartRefused(`${from}: a reactor ${name} exists already, from ${other}; choose another name`);
      reactors.set(name, from);
    }
    for (const { operation } of manifest.routes)
      if (isOperation(operation)) throw new StartRefused(`${from}: ${operation} is a route of the service; use another path`);
  }
}

const databaseOptions = ({ databaseUrl: url, secrets, logger }: TeamResources): TeamDatabaseOptions => ({
  url,
  secret: () => secrets.secret('teams'),
  onSharedAccount: (name, reason) => {
    logger.warn(
      { name, reason },
      'no database role for the package: its code connects with the account of the service and may read and change every table; GRANT CREATEROLE to the account of DATABASE_URL',
    );
  },
});

/** Without a public address it is this instance, which may not serve the API. */
function apiAddress({ publicUrl, roles }: Pick<Config, 'publicUrl' | 'roles'>, own: string): string {
  if (publicUrl !== undefined) return `${publicUrl}/api`;
  return roles.includes('api') ? `${own}/api` : '';
}

function routesOfTeam(resources: TeamResources, team: TeamProcess): TeamRoutes {
  const ensure = (secret: Uint8Array) => ensureTablesRole(resources.pool, team.manifest.projections, secret);
  const names = team.manifest.projections.map(({ name }) => name).join(', ');
  let access: Promise<TeamAccess> | undefined;
  const accessTables = (): Promise<TeamAccess> => {
    access ??= openTeamAccess(databaseOptions(resources), `routes of ${names}`, ensure);
    access.catch(() => (access = undefined));
    return access;
  };
  return new TeamRoutes(team, accessTables, resources.replicas?.all.map(({ url }) => url) ?? []);
}
