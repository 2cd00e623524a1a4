import type { DynamicModule, Type } from '@nestjs/common';
import type { Config } from '../../config.ts';
import { PostgresLog } from '../../log/postgres-log.ts';
import { isApiOperation } from '../../http/rights/api-rights.ts';
import { routesOf } from '../../http/rights/routes-of.ts';
import {
  loadProjections,
  type LoadedPackage,
  ProjectionPackageInvalid,
  type TeamPackage,
} from '../../projections/authoring/load-projections.ts';
import { TeamProjections } from '../../projections/sets/team-projections.ts';
import { coreViews } from '../../projections/projection-table.ts';
import type { Parts } from '../parts.ts';
import { prepareImports } from './team-imports.ts';
import { StartRefused } from '../../kernel/start-refused.ts';

/** Loads the packages of `PROJECTIONS`; an invalid one refuses the start. */
export async function loadTeams({ projections }: Config): Promise<readonly LoadedPackage[]> {
  if (projections.length === 0) return [];
  prepareImports();
  try {
    return await loadProjections(projections, process.cwd(), ['core', ...coreViews.map(({ name }) => name)]);
  } catch (error) {
    if (error instanceof ProjectionPackageInvalid) throw new StartRefused(error.message, { cause: error });
    throw error;
  }
}

/** The projections of teams, which run independently of each other. */
export const teamProjections = (
  { databaseUrl, connectionWatch, secrets, wake, leases, logger }: Parts,
  teams: readonly TeamPackage[],
): TeamProjections =>
  new TeamProjections(
    {
      url: databaseUrl,
      watch: connectionWatch,
      wake,
      leases,
      openLog: (pool) => new PostgresLog(pool, wake),
      secret: () => secrets.secret('teams'),
      onSharedAccount: (projection, reason) => {
        logger.warn(
          { projection, reason },
          'no database role for the projection: the SQL of its handlers runs with the account of the service and may read and change every table; GRANT CREATEROLE to the account of DATABASE_URL',
        );
      },
      report: (projection, error) => {
        logger.error({ projection, err: error }, 'projection failed; retrying');
      },
      onParked: ({ view: projection, key, type, n, eventId, error }) => {
        logger.warn(
          { projection, event: eventId, type, n, parked: key, reason: error },
          'event parked: its row or partition waits, the rest of the projection continues; fix the handler and retry, or skip the event: watchledger projections retry|skip NAME EVENT',
        );
      },
    },
    teams.flatMap(({ projections }) => projections),
  );

/** The Nest modules of teams; they must not replace routes of the service. */
export const teamModules = (teams: readonly LoadedPackage[]): (Type | DynamicModule)[] =>
  teams.flatMap(({ from, module }) => (module === undefined ? [] : [checked(from, module)]));

function checked(from: string, module: unknown): Type | DynamicModule {
  if (!isModule(module))
    throw new StartRefused(`${from}: its module is not a Nest module, such as a class with @Module({ controllers: […] })`);
  for (const { operation } of routesOf(module)) {
    if (isApiOperation(operation)) throw new StartRefused(`${from}: ${operation} is a route of the service; use another path`);
  }
  return module;
}

const isModule = (module: unknown): module is Type | DynamicModule =>
  typeof module === 'function' || (typeof module === 'object' && module !== null && 'module' in module);
