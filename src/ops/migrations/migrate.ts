import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from './migration-table.ts';

const MIGRATION_LOCK = 727_001;

/** Brings the database to this version's schema; instances that start together wait for each other. Forward only. */
export async function migrate(url: string): Promise<readonly string[]> {
  const guard = new pg.Client({ connectionString: url });
  await guard.connect();
  const source = new DataSource({ type: 'postgres', url, migrations: [...migrations], migrationsTableName: 'migrations', poolSize: 2 });
  try {
    await guard.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await source.initialize();
    const done = await source.runMigrations({ transaction: 'each' });
    return done.map((migration) => migration.name);
  } finally {
    if (source.isInitialized) await source.destroy();
    await guard.end();
  }
}
