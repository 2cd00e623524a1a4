import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import { databaseUrlOf, readCredentials } from './credentials.ts';
import { holderOf } from './data-lock.ts';
import { EmbeddedDatabase } from './embedded-database.ts';

export interface OpenDatabase {
  readonly url: string;
  close(): Promise<void>;
}

const neverUsed = (dataDir: string): string => `DATA_DIR ${dataDir} was never used: start the service once first, or name the right one`;

/**
 * For a command beside the service: the database that is configured, the embedded one of a service that runs, or else started for this command alone.
 * Only who may make one leaves anything behind where there was none.
 */
export async function openDatabase(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  say: (line: string) => void,
  { mayMake = false } = {},
): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, close: () => Promise.resolve() };
  if ((await holderOf(config.dataDir)) !== undefined) return ofRunningService(config.dataDir);
  if (!mayMake && readCredentials(config.dataDir) === undefined) throw new StartRefused(neverUsed(config.dataDir));
  const database = await EmbeddedDatabase.start({ dataDir: config.dataDir, say });
  return { url: database.url, close: () => database.stop() };
}

function ofRunningService(dataDir: string): OpenDatabase {
  const credentials = existsSync(join(dataDir, 'postgres', 'postmaster.pid')) ? readCredentials(dataDir) : undefined;
  if (credentials === undefined) throw new StartRefused(`the service on ${dataDir} is still starting: try again in a moment`);
  return { url: databaseUrlOf(credentials), close: () => Promise.resolve() };
}
