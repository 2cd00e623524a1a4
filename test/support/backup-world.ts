import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { masterKeys } from './master-keys.ts';
import { PostgresKeyring } from '../../src/platform/security/keyring/postgres-keyring.ts';
import { SealKeys } from '../../src/proof/seal/keys/seal-keys.ts';
import { LedgerStore } from '../../src/proof/seal/store/ledger-store.ts';
import { DayPartitions } from '../../src/platform/observations/packs/day-partitions.ts';
import { ObservationSchemas } from '../../src/platform/observations/schemas.ts';
import { type BackupTaken, takeBackup } from '../../src/operations/backup/take-backup.ts';
import { readFileHead } from '../../src/operations/backup/read-backup.ts';
import { restoreBackup } from '../../src/operations/backup/restore-backup.ts';
import type { Restored, RestoreOrder } from '../../src/operations/backup/restore-order.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './database.ts';
import { accountStream } from '../../src/kernel/stream-names.ts';

export const ORIGIN = 'test/api/ledger';
export const master = randomBytes(32);
export const quiet = (): void => undefined;
const never = new AbortController().signal;

/** A database that was used, and one that never was, for each test of a file. */
export class BackupWorld {
  folder = '';
  file = '';
  private used: TestDatabase | undefined;
  private unused: TestDatabase | undefined;
  private taken: string | undefined;

  /** Creates and removes the databases and folders of a test. */
  static prepare(): BackupWorld {
    const world = new BackupWorld();
    beforeAll(async () => {
      world.used = await createTestDatabase();
      await fill(world.used);
    });
    afterAll(async () => {
      await world.used?.drop();
      if (world.taken !== undefined) await rm(world.taken, { recursive: true });
    });
    beforeEach(async () => {
      world.folder = await mkdtemp(join(tmpdir(), 'backup-'));
      world.file = join(world.folder, 'b');
      world.unused = await createEmptyDatabase();
    });
    afterEach(async () => {
      await world.unused?.drop();
      await rm(world.folder, { recursive: true });
    });
    return world;
  }

  get source(): TestDatabase {
    return there(this.used);
  }

  get target(): TestDatabase {
    return there(this.unused);
  }

  take(
    from = this.source,
    path: string | null = this.file,
    keysFile = `${this.file}.keys`,
    observationsUrl?: string,
    schemas = new ObservationSchemas(1),
  ): Promise<BackupTaken> {
    return takeBackup({
      url: from.url,
      observationsUrl,
      schemas,
      master,
      engine: 'postgres',
      program: '9',
      file: path,
      keysFile,
      signal: never,
      progress: quiet,
    });
  }

  /** The same backup for every test that only reads it. */
  async copyTaken(): Promise<void> {
    this.taken ??= await mkdtemp(join(tmpdir(), 'backup-taken-'));
    const kept = join(this.taken, 'b');
    if ((await readdir(this.taken)).length === 0) await this.take(this.source, kept, `${kept}.keys`);
    await copyFile(kept, this.file);
    await copyFile(`${kept}.keys`, `${this.file}.keys`);
  }

  async orderOf(given: Partial<RestoreOrder> = {}): Promise<RestoreOrder> {
    const data = { path: this.file, head: await readFileHead(this.file, master) };
    const keys = { path: `${this.file}.keys`, head: await readFileHead(`${this.file}.keys`, master) };
    return {
      url: this.target.url,
      observationsUrl: undefined,
      master,
      data,
      keys,
      checkpoint: null,
      lastCheckpoint: null,
      erased: [],
      signal: never,
      progress: quiet,
      ...given,
    };
  }

  async restore(given: Partial<RestoreOrder> = {}): Promise<Restored> {
    return restoreBackup(await this.orderOf(given));
  }

  /** Whether the target has a table of that name. */
  async isThere(name: string): Promise<boolean> {
    return (await this.target.pool.query('SELECT FROM pg_class WHERE oid = to_regclass($1)', [name])).rowCount === 1;
  }

  /** Whether nothing was restored. */
  async isEmpty(): Promise<boolean> {
    return !(await this.isThere('log')) || (await this.target.pool.query('SELECT FROM log')).rowCount === 0;
  }
}

function there(database: TestDatabase | undefined): TestDatabase {
  if (database === undefined) throw new Error('available only within a test');
  return database;
}

export const eventOf = (scope: string, type: string, data: object = {}) => ({ scope, type, data: JSON.stringify(data) });

export async function append({ pool }: TestDatabase, events: readonly ReturnType<typeof eventOf>[]): Promise<void> {
  for (const { scope, type, data } of events)
    await pool.query(
      `SELECT append_one($1, (SELECT coalesce(max(revision), -1) FROM log WHERE stream = $1), gen_random_uuid(), $2, 1::smallint, $1, $3, '{}')`,
      [scope, type, data],
    );
}

/** Something in as many kinds of tables as there are columns to be careful with: partitions, identities, bytes, nulls, line breaks. */
export async function fill(database: TestDatabase): Promise<void> {
  const { pool } = database;
  await new LedgerStore(pool).initialise(ORIGIN);
  await new SealKeys({ pool, master: masterKeys(pool, master), origin: ORIGIN }).ensureKey();
  const keyring = new PostgresKeyring(pool, masterKeys(pool, master));
  for (const userId of [1, 2]) {
    await keyring.seal(accountStream(userId), 'a');
    await append(database, [eventOf(accountStream(userId), 'AccountOpened', { name: 'tab\t, backslash \\ and \n line', userId })]);
    await pool.query(`INSERT INTO passwords (user_id, hash) VALUES ($1, 'hash')`, [userId]);
  }
  await append(
    database,
    Array.from({ length: 300 }, (_, n) => eventOf('project-a', 'ProjectRenamed', { n, pad: 'x'.repeat(n * 20) })),
  );
  for (const kind of ['sample', 'run'] as const) {
    const hours = [495_000, 495_024, 495_048];
    await new DayPartitions(pool, kind).ensure(hours);
    await pool.query(`INSERT INTO ${kind}_hour SELECT '\\x0102', hour, '\\x00ff0a09' FROM unnest($1::int[]) AS hour`, [hours]);
    await pool.query(
      `INSERT INTO ${kind}_flush (slot, first_at, last_at, packed, ids) SELECT 1, 2, 3, decode(repeat('0a', 1200000), 'hex'), '' FROM generate_series(1, 2)`,
    );
  }
  await pool.query(`INSERT INTO claim (kind, key, holder) VALUES ('email', 'k', 'account-1')`);
}
