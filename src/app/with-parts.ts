import pino from 'pino';
import type { Config } from '../platform/config/config.ts';
import { openDatabase } from '../operations/embedded-postgres/open-database.ts';
import { migrations } from './migration-table.ts';
import { refuseLaterSchema } from '../platform/postgres/migrations/migrate.ts';
import { openParts, type Parts } from './parts.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import type { CliOutput } from '../platform/cli/command.ts';

const UNDEFINED_TABLE = '42P01';

/** Opens the parts below HTTP for a command: beside a running service, or with an embedded database started for the command. */
export async function withParts(config: Config, output: CliOutput, work: (parts: Parts) => Promise<number>): Promise<number> {
  const database = await openDatabase(config, output.say);
  try {
    await refuseLaterSchema(database.url, migrations);
    // The log goes to standard error: standard output is reserved for the result.
    const parts = await openParts(config, database.url, pino({ level: 'error' }, pino.destination(2)));
    try {
      return await work(parts);
    } finally {
      await parts.close();
    }
  } catch (error) {
    if (isUndefinedTable(error)) throw new StartRefused('the database was never used: start the service once first');
    throw error;
  } finally {
    await database.close();
  }
}

/** Reads that a replica may answer, as current as those of the primary. */
export const onReplica = <T>({ replicas }: Pick<Parts, 'replicas'>, work: () => Promise<T>): Promise<T> =>
  replicas === null ? work() : replicas.read(work);

const isUndefinedTable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === UNDEFINED_TABLE;
