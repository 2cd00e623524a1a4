import type { Config } from '../config.ts';
import { observationMigrations } from '../migrations/observation-migrations.ts';
import { reasonOf } from '../kernel/system-error.ts';
import { DatabaseClient } from '../persistence/database-client.ts';
import { clock, schema, version } from './database.ts';
import { fail, type Diagnosis } from './finding.ts';
import { examineKeptPages } from './kept-pages.ts';
import { examineWriteAheadLog } from './write-ahead-log.ts';

/** The database of the observations, where they have one of their own. */
export async function examineObservations(config: Config): Promise<readonly Diagnosis[]> {
  const { observationsUrl: url } = config;
  if (url === undefined) return [];
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const findings = [
      await version(client),
      await schema(client, observationMigrations.length),
      await clock(client),
      ...(await examineWriteAheadLog(client, url)),
      ...(await examineKeptPages(client, config)),
    ];
    return findings.map((finding) => ({ ...finding, name: `observations: ${finding.name}` }));
  } catch (error) {
    return [
      fail('observations: database', reasonOf(error), 'check OBSERVATIONS_URL, and that its Postgres runs and accepts the connection'),
    ];
  } finally {
    await client.end().catch(() => undefined);
  }
}
