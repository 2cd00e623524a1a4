import pino from 'pino';
import type { Config } from '../platform/config/config.ts';
import { openDatabase } from '../operations/embedded-postgres/open-database.ts';
import { migrations } from './migration-table.ts';
import { refuseLaterSchema } from '../platform/postgres/migrations/migrate.ts';
import { openParts, type Parts } from './parts.ts';
import { openResources, type Resources } from './resources.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import type { CliOutput } from '../platform/cli/command.ts';

const UNDEFINED_TABLE = '42P01';

/** Opens the resources for a command that needs neither stores nor commands: beside a running service, or with an embedded database started for the command. */
export async function withResources(config: Config, output: CliOutput, work: (resources: Resources) => Promise<number>): Promise<number> {
  const database = await openDatabase(config, output.say);
  try {
    await refuseLaterSchema(database.url, migrations);
    // The log goes to standard error: standard output is reserved for the result.
    const resources = await openResources(config, database.url, pino({ level: 'error' }, pino.destination(2)));
    try {
      return await work(resources);
    } finally {
      await resources.close();
    }
  } catch (error) {
    if (isUndefinedTable(error)) throw new StartRefused('the database was never used: start the service once first');
    throw error;
  } finally {
    await database.close();
  }
}

/** The resources with the one container, without HTTP, checker and loops. */
export const withParts = (config: Config, output: CliOutput, work: (parts: Parts) => Promise<number>): Promise<number> =>
  withResources(config, output, async (resources) => work(await openParts(config, resources)));

/** Reads that a replica may answer, as current as those of the primary. */
export const onReplica = <T>({ replicas }: Pick<Resources, 'replicas'>, work: () => Promise<T>): Promise<T> =>
  replicas === null ? work() : replicas.read(work);

const isUndefinedTable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === UNDEFINED_TABLE;
