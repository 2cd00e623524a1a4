import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { Config } from '../../platform/config/config.ts';
import { findBinaries } from '../embedded-postgres/binaries.ts';
import { openDatabase } from '../embedded-postgres/open-database.ts';
import { migrations } from '../../app/migration-table.ts';
import { DatabaseClient } from '../../platform/postgres/database-client.ts';
import { type OutageCause, outageCauseOf } from '../../platform/postgres/outage-cause.ts';
import { probeWrite } from '../../platform/postgres/write-probe.ts';
import { MIN_POSTGRES } from '../../platform/postgres/outside-database.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { type Diagnosis, fail, ok, warn } from './finding.ts';
import { examineImportedKeys } from './imported-keys.ts';
import { examineKeptPages } from './kept-pages.ts';
import { examineRotation } from './rotation.ts';
import { examineWriteAheadLog } from './write-ahead-log.ts';
import { originAt } from '../../client/proofs/origin.ts';
import { witnessPeers } from '../../proof/witness/witness-peers.ts';

const NAMED = 10;

/** Reachability, version and schema of the database, the difference of its clock, missing encryption keys, and whether it takes a write. */
export async function examineDatabase(config: Config, say: (line: string) => void): Promise<readonly Diagnosis[]> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'postgres'))) {
    findBinaries();
    return [ok('database', 'embedded; created at the first start')];
  }
  try {
    const database = await openDatabase(config, say, { mayCreate: true });
    try {
      return await look(database.url, config);
    } finally {
      await database.close();
    }
  } catch (error) {
    return [fail('database', reasonOf(error), adviceAbout(error, config))];
  }
}

function adviceAbout(error: unknown, { databaseUrl }: Pick<Config, 'databaseUrl'>): string {
  if (databaseUrl === undefined) return 'see postgres.log in the data folder';
  return outageCauseOf(error) === 'login_refused'
    ? ADVICE.login_refused
    : 'check DATABASE_URL, and that Postgres runs and accepts the connection';
}

async function look(url: string, config: Config): Promise<readonly Diagnosis[]> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return [
      await version(client),
      await schema(client),
      await clock(client),
      ...(await keys(client)),
      ...(await examineRotation(client, config)),
      ...(await examineOrigin(client)),
      ...(await examineWriteAheadLog(client, config.databaseUrl)),
      ...(config.observationsUrl === undefined ? await examineKeptPages(client, config) : []),
      ...(await writes(client)),
    ];
  } finally {
    await client.end();
  }
}

export async function version(client: pg.Client): Promise<Diagnosis> {
  const started = performance.now();
  const { rows } = await client.query<{ version: number; name: string }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name`,
  );
  const found = `Postgres ${rows[0]?.name ?? '?'}, ${(performance.now() - started).toFixed(1)} ms away`;
  return (rows[0]?.version ?? 0) >= MIN_POSTGRES * 10_000
    ? ok('database', found)
    : fail('database', found, `Postgres ${String(MIN_POSTGRES)} or later is needed`);
}

/** `expected`: the number of migrations that this version applies. */
export async function schema(client: pg.Client, expected = migrations.length, table = 'migrations'): Promise<Diagnosis> {
  const { rows: there } = await client.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [table]);
  if (there[0]?.there !== true) return warn('schema', 'empty', 'nothing to do: the first start creates it');
  const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  const applied = rows[0]?.count ?? 0;
  if (applied > expected) return fail('schema', 'newer than this program', 'start the version that created it, or a later one');
  return applied === expected
    ? ok('schema', 'matches this version')
    : warn('schema', `${String(expected - applied)} pending migrations`, 'nothing to do: the next start applies them');
}

export async function clock(client: pg.Client): Promise<Diagnosis> {
  const before = Date.now();
  const { rows } = await client.query<{ now: number }>('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now');
  const apart = Math.abs((rows[0]?.now ?? 0) - (before + Date.now()) / 2);
  const found = `${String(Math.round(apart))} ms from the database's`;
  return apart < 1_000 ? ok('clock', found) : fail('clock', found, 'set the clocks of both machines by NTP (timedatectl set-ntp true)');
}

/** Accounts without an encryption key: opened after the copy of the keys that this database was restored from. And keys of imports that hold a password. */
async function keys(client: pg.Client): Promise<readonly Diagnosis[]> {
  const { rows: known } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('projection') IS NOT NULL AND to_regclass('subject_keys') IS NOT NULL AS there`,
  );
  if (known[0]?.there !== true) return [];
  const { rows: live } = await client.query<{ schema: string }>(
    `SELECT schema FROM projection WHERE name = 'core' AND state = 'live' LIMIT 1`,
  );
  if (live[0] === undefined) return [];
  const { rows } = await client.query<{ id: string }>(
    `SELECT key AS id FROM ${client.escapeIdentifier(live[0].schema)}.account AS account
     WHERE NOT EXISTS (SELECT FROM subject_keys WHERE subject = 'account-' || account.key) ORDER BY length(key), key`,
  );
  const imported = await examineImportedKeys(client, live[0].schema);
  if (rows.length === 0) return [ok('keys', 'every account has its encryption key'), ...imported];
  const named = rows.slice(0, NAMED).map(({ id }) => id);
  const more = rows.length > NAMED ? ` and ${String(rows.length - NAMED)} more` : '';
  return [
    warn(
      'keys',
      `none for account ${named.join(', ')}${more}`,
      'they were opened after the keys were copied and cannot sign in: erase them and invite the people again; copy the keys last, see "Backup" in docs/operations.md',
    ),
    ...imported,
  ];
}

const ADVICE: Readonly<Record<OutageCause, string>> = {
  disk_full: 'free space on the disk of the database',
  read_only: 'connect to the primary, or reset default_transaction_read_only; managed databases set it when their storage is full',
  too_many_connections: 'raise max_connections, or the limit of the role',
  out_of_memory: 'give the database more memory, or lower its work_mem',
  login_refused: 'correct the user and the password in DATABASE_URL, and pg_hba.conf; after a change of the password see docs/keys.md',
  starting_or_stopping: 'wait until the database has started',
  unreachable: 'see the log of the database',
  silent: 'is a synchronous standby away (synchronous_standby_names, pg_stat_replication)?',
  other: 'see the log of the database',
};

/** Comes last, because a refusal ends the transaction of the connection. */
async function writes(client: pg.Client): Promise<readonly Diagnosis[]> {
  const { rows } = await client.query<{ there: boolean }>(`SELECT to_regclass('write_probe') IS NOT NULL AS there`);
  if (rows[0]?.there !== true) return [];
  try {
    await probeWrite(client);
    return [ok('writes', 'a row was written and committed')];
  } catch (error) {
    return [fail('writes', reasonOf(error), ADVICE[outageCauseOf(error)])];
  }
}

/** After a declared loss the log continues under another origin, which no witness cosigns before its operator accepts the key. */
async function examineOrigin(client: pg.Client): Promise<readonly Diagnosis[]> {
  const { rows: known } = await client.query<{ there: boolean }>(`SELECT to_regclass('ledger_origin_end') IS NOT NULL AS there`);
  if (known[0]?.there !== true) return [];
  const { rows } = await client.query<{ origin: string; generation: number }>('SELECT origin, generation FROM ledger_state');
  const { origin: first, generation } = rows[0] ?? { origin: '', generation: 0 };
  if (generation === 0) return [];
  const { rows: cosigned } = await client.query<{ witness_key: string }>(
    'SELECT DISTINCT witness_key FROM ledger_cosignature JOIN ledger_checkpoint USING (number) WHERE generation = $1',
    [generation],
  );
  const missing = (await witnessPeers(client)).flatMap(({ url, witnessKey }) =>
    witnessKey === null || cosigned.some(({ witness_key }) => witness_key === witnessKey.text) ? [] : [url],
  );
  const found = `after a declared loss the log continues as ${originAt(first, generation)}`;
  return missing.length === 0
    ? [ok('origin', found)]
    : [warn('origin', `${found}, which is not cosigned by ${missing.join(', ')}`, 'its operator repeats: watchledger witness add URL')];
}
