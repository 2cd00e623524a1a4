import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../platform/config/config.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { databaseUrlOf, readCredentials } from './credentials.ts';
import { holderOf } from './data-lock.ts';
import { EmbeddedDatabase } from './embedded-database.ts';

export interface OpenDatabase {
  readonly url: string;
  close(): Promise<void>;
}

const neverUsed = (dataDir: string): string =>
  `DATA_DIR ${dataDir} contains no database: start the service once, or set the right DATA_DIR`;

/**
 * For a command: the configured database, the embedded one of the running service, or the embedded one started for this command. Without
 * `mayCreate` nothing is created in an empty data folder.
 */
export async function openDatabase(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  say: (line: string) => void,
  { mayCreate = false } = {},
): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, close: () => Promise.resolve() };
  if ((await holderOf(config.dataDir)) !== undefined) return databaseOfService(config.dataDir);
  if (!mayCreate && readCredentials(config.dataDir) === undefined) throw new StartRefused(neverUsed(config.dataDir));
  const database = await EmbeddedDatabase.start({ dataDir: config.dataDir, say });
  return { url: database.url, close: () => database.stop() };
}

function databaseOfService(dataDir: string): OpenDatabase {
  const credentials = existsSync(join(dataDir, 'postgres', 'postmaster.pid')) ? readCredentials(dataDir) : undefined;
  if (credentials === undefined) throw new StartRefused(`the service on ${dataDir} is still starting: retry shortly`);
  return { url: databaseUrlOf(credentials), close: () => Promise.resolve() };
}
