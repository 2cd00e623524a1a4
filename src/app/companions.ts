import type { DynamicModule } from '@nestjs/common';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { LongRunning } from '../kernel/lifecycle.ts';
import type { Config } from '../platform/config/config.ts';
import type { TeamTarget } from '../platform/read-models/admin/replay-into.ts';
import { Teams } from '../teams/teams.ts';
import { isApiOperation } from './api-rights.ts';
import { coreViews } from './projection-table.ts';
import type { Resources } from './resources.ts';

/** Programs of others that run beside the service. */
export interface Companion {
  /** The address of this instance for programs on this machine, set once it listens. */
  address: string;
  /** Refuses the start under settings with which they cannot work. */
  refuseUnfit(config: Config): Promise<void>;
  /** The parts that guard and close them, once the database is open. */
  guards(resources: Resources): readonly LongRunning[];
  /** Runs in the role `projector`. */
  projections(resources: Resources): LongRunning;
  /** Runs in the role `reactor`. */
  reactors(config: Config, resources: Resources): LongRunning;
  /** Opens modules of the API, and the part that serves and closes them. */
  routes(resources: Resources): { readonly modules: readonly DynamicModule[]; readonly serving: LongRunning };
  /** Opens what a replay includes, whose tables `db` creates. */
  replayTargets(resources: Resources, db: pg.Pool): Promise<readonly TeamTarget[]>;
  close(): Promise<void>;
}

/** What no companion may replace. */
export const ofService = { views: coreViews, isOperation: isApiOperation };

const kinds: readonly ((config: Config, logger: Logger) => Promise<Companion>)[] = [
  (config, logger) => Teams.load(config, logger, ofService),
];

/** Starts them; one that cannot be loaded refuses the start. */
export const loadCompanions = (config: Config, logger: Logger): Promise<readonly Companion[]> =>
  Promise.all(kinds.map((load) => load(config, logger)));

/** Works with what a replay includes of them. */
export async function withReplayTargets<Result>(
  resources: Resources,
  config: Config,
  work: (targetsIn: (db: pg.Pool) => Promise<readonly TeamTarget[]>) => Promise<Result>,
): Promise<Result> {
  const companions = await loadCompanions(config, resources.logger);
  try {
    return await work(async (db) => (await Promise.all(companions.map((each) => each.replayTargets(resources, db)))).flat());
  } finally {
    await Promise.all(companions.map((each) => each.close()));
  }
}
