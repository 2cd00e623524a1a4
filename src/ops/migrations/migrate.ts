import pg from 'pg';
import { migrations } from './migration-table.ts';

const MIGRATION_LOCK = 727_001;
const TABLE = 'migrations';

/** Brings the database to this version's schema; instances that start together wait for each other. Forward only. */
export async function migrate(url: string): Promise<readonly string[]> {
  const guard = new pg.Client({ connectionString: url });
  await guard.connect();
  try {
    await guard.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return (await isCurrent(guard)) ? [] : await run(url);
  } finally {
    await guard.end();
  }
}

/** Nearly every start finds nothing to do; asking costs a fraction of what loading the tool does. */
async function isCurrent(client: pg.Client): Promise<boolean> {
  const { rows: there } = await client.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [TABLE]);
  if (there[0]?.there !== true) return false;
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${TABLE}`);
  const applied = new Set(rows.map(({ name }) => name));
  return migrations.every(({ name }) => applied.has(name));
}

async function run(url: string): Promise<readonly string[]> {
  const { DataSource } = await import('typeorm');
  const source = new DataSource({ type: 'postgres', url, migrations: [...migrations], migrationsTableName: TABLE, poolSize: 2 });
  try {
    await source.initialize();
    const done = await source.runMigrations({ transaction: 'each' });
    return done.map((migration) => migration.name);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}
