import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openBenchDatabases } from '../../bench/support/databases.ts';
import { programVersion } from '../../src/config/program-version.ts';
import { Program } from '../support/program.ts';
import { ADMIN } from '../support/service.ts';
import { until } from '../support/until.ts';
import { dump } from './dump.ts';
import { schemaOf, statements } from './statements.ts';
import { live, MASTER_KEY, site } from './frozen-world.ts';

const TABLE = `CREATE TABLE migrations (id serial PRIMARY KEY, "timestamp" bigint NOT NULL, name varchar NOT NULL);`;

/** Runs a service of this version on an empty database and dumps the result. */
export async function freeze(): Promise<void> {
  const databases = await openBenchDatabases((line) => {
    process.stderr.write(`${line}\n`);
  });
  const { server, url: watched } = await site();
  const url = await databases.create();
  const db = new pg.Pool({ connectionString: url });
  await db.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const env = { DATABASE_URL: url, MASTER_KEY, PORT: '0', REGISTRATION: 'open', ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password };
  const program = new Program({ ...env, ALLOW_TARGETS: '127.0.0.0/8', ALLOW_HOOKS: '127.0.0.0/8', RATE_LIMIT: '0' }, '/');
  try {
    await live(await program.ready(), { pool: db }, watched);
    const counted = async (text: string): Promise<number> => (await db.query(text)).rowCount ?? 0;
    await until(async () => (await counted(`SELECT FROM log WHERE type = 'JobEnded'`)) > 0, 60_000, 'a job that ended');
    await until(
      async () => (await counted('SELECT FROM ledger_checkpoint WHERE size > (SELECT max(n) FROM log)')) > 0,
      90_000,
      'everything sealed',
    );
  } finally {
    program.signal('SIGTERM');
    await program.ended;
    server.close();
  }
  const made = await statements();
  const rows = made.map(([name]) => `INSERT INTO migrations ("timestamp", name) VALUES (${/\d{13}$/.exec(name)?.[0] ?? '0'}, '${name}');`);
  const text = [...made.map(([name, said]) => schemaOf(name, said)), '-- What was done', TABLE, ...rows, '', '-- Rows', await dump(db)];
  writeFileSync(join(import.meta.dirname, `${programVersion()}.sql`), text.join('\n'));
  await db.end();
  await databases.stop();
}
