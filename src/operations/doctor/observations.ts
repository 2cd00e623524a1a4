import type pg from 'pg';
import type { Config } from '../../platform/config/config.ts';
import { ObservationSchemas } from '../../platform/observations/schemas.ts';
import { migrationCounts } from '../../platform/postgres/migrations/observation-migrations.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { DatabaseClient } from '../../platform/postgres/database-client.ts';
import { clock, schema, version } from './database.ts';
import { fail, type Diagnosis, ok } from './finding.ts';
import { examineKeptPages } from './kept-pages.ts';
import { examineWriteAheadLog } from './write-ahead-log.ts';

/** The database of the observations, where they have one of their own. */
export async function examineObservations(config: Config): Promise<readonly Diagnosis[]> {
  const { observationsUrl: url, observationSchemas } = config;
  const schemas = new ObservationSchemas(observationSchemas);
  const counts = migrationCounts(schemas);
  if (url === undefined) return [];
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const findings = [
      await version(client),
      await schema(client, counts.home),
      ...(schemas.areNamed ? await examineSchemas(client, schemas, counts.schema) : []),
      await clock(client),
      ...(await examineWriteAheadLog(client, url)),
      ...(await examineKeptPages(client, config, schemas)),
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

/** The first of them that is not as it should be, or one finding for all. */
async function examineSchemas(client: pg.Client, schemas: ObservationSchemas, expected: number): Promise<readonly Diagnosis[]> {
  let found = ok('schemas', '');
  for (const one of schemas.all) {
    found = await schema(client, expected, one.table('migrations'));
    if (found.state !== 'ok') return [{ ...found, name: `schema ${String(one.name)}` }];
  }
  return [{ ...found, name: `${String(schemas.all.length)} schemas` }];
}
