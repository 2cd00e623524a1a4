import type { DynamicModule, Type } from '@nestjs/common';
import type { Config } from '../config.ts';
import { PostgresLog } from '../log/postgres-log.ts';
import { loadProjections, ProjectionPackageInvalid, type TeamPackage } from '../projections/kit/load-projections.ts';
import { TeamProjections } from '../projections/kit/team-projections.ts';
import { coreViews } from '../projections/projection-table.ts';
import type { Parts } from './parts.ts';
import { StartRefused } from './start-refused.ts';

/** What `PROJECTIONS` names; a package that is not one stops the start with one line. */
export async function loadTeams({ projections }: Config): Promise<readonly TeamPackage[]> {
  if (projections.length === 0) return [];
  try {
    return await loadProjections(projections, process.cwd(), ['core', ...coreViews.map(({ name }) => name)]);
  } catch (error) {
    if (error instanceof ProjectionPackageInvalid) throw new StartRefused(error.message, { cause: error });
    throw error;
  }
}

/** The projections of teams at work, each apart from the others. */
export const teamProjections = ({ databaseUrl, wake, leases, logger }: Parts, teams: readonly TeamPackage[]): TeamProjections =>
  new TeamProjections(
    {
      url: databaseUrl,
      wake,
      leases,
      openLog: (pool) => new PostgresLog(pool, wake),
      report: (projection, error) => {
        logger.error({ projection, err: error }, 'a projection stopped; trying again');
      },
    },
    teams.flatMap(({ projections }) => projections),
  );

/** The controllers that teams bring along. */
export const teamModules = (teams: readonly TeamPackage[]): (Type | DynamicModule)[] =>
  teams.flatMap(({ module }) => (isModule(module) ? [module] : []));

const isModule = (module: unknown): module is Type | DynamicModule =>
  typeof module === 'function' || (typeof module === 'object' && module !== null && 'module' in module);
