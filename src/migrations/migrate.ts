import pg from 'pg';
import type { MigrationInterface } from 'typeorm';
import { StartRefused } from '../kernel/start-refused.ts';
import { ADVISORY_LOCKS } from '../persistence/advisory-locks.ts';
import { migrations } from './migration-table.ts';

const TABLE = 'migrations';

type Migration = new () => MigrationInterface;

/**
 * Brings the database to this version's schema; instances that start together wait for each other. Forward only: a schema that a later
 * version made is refused. `names`: only these, for a backup of an older version.
 */
export async function migrate(url: string, names?: readonly string[]): Promise<readonly string[]> {
  const wanted = names === undefined ? migrations : migrations.filter(({ name }) => names.includes(name));
  const guard = clientOf(url);
  await guard.connect();
  try {
    await guard.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations]);
    const applied = await appliedTo(guard);
    refuseLater(applied, wanted);
    return wanted.every(({ name }) => applied.includes(name)) ? [] : await run(url, wanted);
  } finally {
    await guard.end();
  }
}

/** One that breaks between two questions says so at the next. */
const clientOf = (url: string): pg.Client => new pg.Client({ connectionString: url }).on('error', () => undefined);

/** For what only works beside a service: it changes no schema, and keeps its hands off one that it does not know. */
export async function refuseLaterSchema(url: string): Promise<void> {
  const client = clientOf(url);
  await client.connect();
  try {
    refuseLater(await appliedTo(client), migrations);
  } finally {
    await client.end();
  }
}

/** Nearly every start finds nothing to do; asking costs a fraction of what loading the tool does. */
async function appliedTo(client: pg.Client): Promise<readonly string[]> {
  const { rows: there } = await client.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [TABLE]);
  if (there[0]?.there !== true) return [];
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${TABLE} ORDER BY id`);
  return rows.map(({ name }) => name);
}

/** What a later version added, this one would not keep: its own tables might go on looking right while others no longer are. */
function refuseLater(applied: readonly string[], wanted: readonly Migration[]): void {
  const later = applied.filter((name) => !wanted.some((migration) => migration.name === name));
  if (later.length === 0) return;
  const known = later.every((name) => migrations.some((migration) => migration.name === name));
  throw new StartRefused(
    known
      ? `the schema of the database is newer than the backup (${later.join(', ')}): restore into an empty database`
      : `the schema of the database is newer than this program (${later.join(', ')}): start the version that made it, or a later one`,
  );
}

async function run(url: string, wanted: readonly Migration[]): Promise<readonly string[]> {
  const { DataSource } = await import('typeorm');
  const source = new DataSource({ type: 'postgres', url, migrations: [...wanted], migrationsTableName: TABLE, poolSize: 2 });
  try {
    await source.initialize();
    const done = await source.runMigrations({ transaction: 'each' });
    return done.map((migration) => migration.name);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}
