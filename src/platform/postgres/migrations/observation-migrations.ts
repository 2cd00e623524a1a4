import { StartRefused } from '../../../kernel/start-refused.ts';
import type { ObservationSchemas } from '../../observations/schemas.ts';
import { ADVISORY_LOCKS } from '../advisory-locks.ts';
import { DatabaseClient } from '../database-client.ts';
import { runMigrations } from './migrate.ts';
import { homeMigrations, schemaMigrations } from '../../observations/observations.tables.ts';

/** The migrations of a database of observations alone (`OBSERVATIONS_URL`): those of the migration table that concern their tables. */
export const observationMigrations = [...schemaMigrations, ...homeMigrations];

/** As many as the schema of the connection has, and each named one. */
export const migrationCounts = ({ areNamed }: ObservationSchemas): { readonly home: number; readonly schema: number } => ({
  home: areNamed ? homeMigrations.length : observationMigrations.length,
  schema: schemaMigrations.length,
});

/**
 * Migrates a database of observations, each of its schemas in turn. Their number is fixed when they are created, together: with another one, shards would be
 * searched for where they are not.
 */
export async function migrateObservations(url: string, schemas: ObservationSchemas, names?: readonly string[]): Promise<readonly string[]> {
  await prepareSchemas(url, schemas);
  if (!schemas.areNamed) return runMigrations(url, observationMigrations, names);
  const applied = [...(await runMigrations(url, homeMigrations, names))];
  for (const { name } of schemas.all) applied.push(...(await runMigrations(url, schemaMigrations, names, name)));
  return applied;
}

async function prepareSchemas(url: string, schemas: ObservationSchemas): Promise<void> {
  const client = new DatabaseClient({ connectionString: url }).on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.observationSchemas]);
    const { rows } = await client.query<{ named: number; hasUnnamed: boolean }>(
      `SELECT (SELECT count(*)::int FROM pg_namespace WHERE nspname ~ '^obs_[0-9]{2}$') AS named, to_regclass('sample_hour') IS NOT NULL AS "hasUnnamed"`,
    );
    const { named = 0, hasUnnamed = false } = rows[0] ?? {};
    const wanted = schemas.all.length;
    const found = named > 0 ? named : hasUnnamed ? 1 : null;
    if (found !== null && found !== wanted)
      throw new StartRefused(
        `OBSERVATION_SCHEMAS=${String(wanted)}: the database of observations was created with ${String(found)}, which is fixed from then on`,
      );
    if (found === null && schemas.areNamed) for (const { name } of schemas.all) await client.query(`CREATE SCHEMA ${String(name)}`);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}
