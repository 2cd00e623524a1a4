import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { PostgresKeyring } from '../../base/keyring/postgres-keyring.ts';
import { SealKeys } from '../../ledger/keys/seal-keys.ts';
import { LedgerStore } from '../../ledger/store/ledger-store.ts';
import { signCheckpoint } from '../../ledger/signer.ts';
import { DayPartitions } from '../../observations/packs/day-partitions.ts';
import { migrate } from '../migrations/migrate.ts';
import { migrations } from '../migrations/migration-table.ts';
import { frameHead, type FrameKind, keyIdOf, MAC_BYTES, MAGIC, macOf } from './frames.ts';
import { keptTables, leftOut, tablesOf } from './kept-tables.ts';
import { checkBackup, headOf } from './read-backup.ts';
import { refuseMisfits } from './refuse-misfits.ts';
import { restoreBackup } from './restore-backup.ts';
import type { RestoreOrder } from './restore-order.ts';
import { takeBackup } from './take-backup.ts';

const ORIGIN = 'test/api/ledger';
const master = randomBytes(32);
const quiet = (): void => undefined;
const never = new AbortController().signal;

let folder: string;
let source: TestDatabase;
let target: TestDatabase;
let file: string;
let taken: string | undefined;

beforeAll(async () => {
  source = await createTestDatabase();
  await fill(source);
});
afterAll(async () => {
  await source.drop();
  if (taken !== undefined) await rm(taken, { recursive: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-'));
  file = join(folder, 'b');
  target = await empty();
});
afterEach(async () => {
  await target.drop();
  await rm(folder, { recursive: true });
});

async function empty(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  return database;
}

const eventOf = (scope: string, type: string, data: object = {}) => ({ scope, type, data: JSON.stringify(data) });

async function append({ pool }: TestDatabase, events: readonly ReturnType<typeof eventOf>[]): Promise<void> {
  for (const { scope, type, data } of events)
    await pool.query(
      `SELECT append_one($1, (SELECT coalesce(max(revision), -1) FROM log WHERE stream = $1), gen_random_uuid(), $2, 1::smallint, $1, $3, '{}')`,
      [scope, type, data],
    );
}

/** Something in as many kinds of tables as there are columns to be careful with: partitions, identities, bytes, nulls, line breaks. */
async function fill(database: TestDatabase): Promise<void> {
  const { pool } = database;
  await new LedgerStore(pool).begin(ORIGIN);
  await new SealKeys({ pool, master, origin: ORIGIN }).begin();
  const keyring = new PostgresKeyring(pool, master);
  for (const userId of [1, 2]) {
    await keyring.seal(`account-${String(userId)}`, 'a');
    await append(database, [eventOf(`account-${String(userId)}`, 'AccountOpened', { name: 'tab\t, backslash \\ and \n line', userId })]);
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
      `INSERT INTO ${kind}_flush (slot, first_at, last_at, packed) SELECT 1, 2, 3, decode(repeat('0a', 1200000), 'hex') FROM generate_series(1, 2)`,
    );
  }
  await pool.query(`INSERT INTO claim (kind, key, holder) VALUES ('email', 'k', 'account-1')`);
}

/** The same backup for every test that only reads it. */
async function copyTaken(): Promise<void> {
  taken ??= await mkdtemp(join(tmpdir(), 'backup-taken-'));
  const kept = join(taken, 'b');
  if ((await readdir(taken)).length === 0) await take(source, kept, `${kept}.keys`);
  await copyFile(kept, file);
  await copyFile(`${kept}.keys`, `${file}.keys`);
}

const take = async (from = source, path: string | null = file, keysFile = `${file}.keys`) =>
  takeBackup({ url: from.url, master, engine: 'postgres', program: '9', file: path, keysFile, signal: never, progress: quiet });

async function orderOf(given: Partial<RestoreOrder> = {}): Promise<RestoreOrder> {
  const data = { path: file, head: await headOf(file, master) };
  const keys = { path: `${file}.keys`, head: await headOf(`${file}.keys`, master) };
  return { url: target.url, master, data, keys, checkpoint: null, erased: [], signal: never, progress: quiet, ...given };
}
const restore = async (given: Partial<RestoreOrder> = {}) => restoreBackup(await orderOf(given));

const contents = async ({ pool }: TestDatabase, tables: readonly string[]): Promise<Record<string, unknown>> => {
  const all: Record<string, unknown> = {};
  for (const table of tables) all[table] = (await pool.query(`SELECT t::text AS row FROM ${table} AS t ORDER BY 1`)).rows;
  return all;
};
const isThere = async (name: string): Promise<boolean> =>
  (await target.pool.query('SELECT FROM pg_class WHERE oid = to_regclass($1)', [name])).rowCount === 1;
const isEmpty = async (): Promise<boolean> => !(await isThere('log')) || (await target.pool.query('SELECT FROM log')).rowCount === 0;

describe('a backup', () => {
  it('knows what becomes of every table', async () => {
    const { rows } = await source.pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...Object.keys(keptTables), ...Object.keys(leftOut)].toSorted());
  });

  it('is restored row by row, and counting goes on behind', async () => {
    const { data, keys } = await take();
    expect(data?.rows).toMatchObject({ log: 302, sample_hour: 3, run_flush: 2, claim: 1 });
    expect(keys.rows).toMatchObject({ subject_keys: 2, passwords: 2, ledger_key: 1 });
    expect(await restore()).toMatchObject({ events: 302, lost: null, erasing: [] });
    const tables = [...tablesOf('data'), ...tablesOf('keys')];
    expect(await contents(target, tables)).toEqual(await contents(source, tables));
    const next = await target.pool.query<{ id: string }>(
      `INSERT INTO sample_flush (slot, first_at, last_at, packed) VALUES (1, 1, 1, '') RETURNING id`,
    );
    expect(next.rows).toEqual([{ id: '3' }]);
    expect(await migrate(target.url)).toEqual([]);
  });

  it('holds no key in the file of the data', async () => {
    await copyTaken();
    const { rows } = await source.pool.query<{ wrapped: Buffer }>('SELECT wrapped FROM subject_keys');
    const held: string[] = [];
    for (const table of await checkBackup(file, master, quiet).then(Object.keys)) held.push(table);
    expect(held.filter((table) => !Object.hasOwn(keptTables, table) || tablesOf('keys').some((name) => name === table))).toEqual([]);
    expect(rows).toHaveLength(2);
  });

  it('takes the place of the one before only when it is whole', async () => {
    await writeFile(file, 'the one before');
    const ending = new AbortController();
    const progress = (): void => {
      ending.abort();
    };
    const order = {
      url: source.url,
      master,
      engine: 'postgres',
      program: '9',
      file,
      keysFile: `${file}.keys`,
      signal: ending.signal,
      progress,
    } as const;
    await expect(takeBackup(order)).rejects.toThrow(/abort/);
    expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['the one before', ['b']]);
  });

  it('says so where there is nothing to copy', async () => {
    await expect(take(target)).rejects.toThrow('never used');
    await migrate(target.url);
    await expect(take(target)).rejects.toThrow('never used');
  });

  it('is not made of a schema that a later version left', async () => {
    await migrate(target.url);
    await new LedgerStore(target.pool).begin(ORIGIN);
    await target.pool.query(`INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'FromTheFuture')`);
    await expect(take(target)).rejects.toThrow('newer than this program (FromTheFuture)');
  });
});

describe('a file that is not what was written', () => {
  const refused = async (): Promise<string> => {
    try {
      await headOf(file, master);
      await checkBackup(file, master, quiet);
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    }
    return 'taken';
  };

  it('is refused wherever it is cut', async () => {
    await copyTaken();
    const { length } = await readFile(file);
    for (const at of [length - 1, length - MAC_BYTES, length - 40, Math.floor(length / 2), MAGIC.length + 3, MAGIC.length, 5, 0]) {
      await truncate(file, at);
      expect(await refused()).toMatch(/cut off|no backup/);
    }
  });

  it.each([0.02, 0.3, 0.6, 0.99])('is refused with one bit changed at %d of it', async (place) => {
    await copyTaken();
    const bytes = await readFile(file);
    const at = Math.floor(bytes.length * place);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(file, bytes);
    expect(await refused()).toMatch(/^StartRefused: /);
  });

  it('is refused when something follows, with another master key, and when it is something else', async () => {
    await copyTaken();
    await expect(headOf(file, randomBytes(32))).rejects.toThrow('another master key');
    await writeFile(file, Buffer.concat([await readFile(file), Buffer.from('x')]));
    expect(await refused()).toContain('goes on behind its end');
    await writeFile(file, 'PGDMP and so on, a long file of something else');
    expect(await refused()).toContain('is no backup of Watchledger');
    await rm(file);
    expect(await refused()).toContain('ENOENT');
  });

  type Piece = readonly [FrameKind, object | Buffer];
  /** As somebody could write it who has the master key, too. */
  const forge = async (...pieces: readonly Piece[]): Promise<void> => {
    await copyTaken();
    const head = await headOf(file, master);
    const frames = [['H', head] as Piece, ...pieces].flatMap(([kind, value]) => {
      const payload = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
      return [frameHead(kind, payload.length), payload];
    });
    const bytes = Buffer.concat([MAGIC, ...frames]);
    await writeFile(file, Buffer.concat([bytes, frameHead('Z', MAC_BYTES), macOf(master).update(bytes).digest()]));
  };
  const row = deflateRawSync(Buffer.from('\\N\n'));

  it.each(['pg_authid', 'projection', '../../etc/passwd', 'log; DROP TABLE log', 'passwords', '__proto__'])(
    'is refused with a table %s',
    async (table) => {
      await forge(['T', { table, columns: ['n'] }], ['D', row], ['E', { rows: 1 }]);
      await expect(restore()).rejects.toThrow(/does not belong there/);
      expect(await isEmpty()).toBe(true);
    },
  );

  it.each(['n") FROM STDIN; DROP TABLE log; --', 'nothing', 'ctid'])('is refused with a column %s', async (name) => {
    await forge(['T', { table: 'log', columns: [name] }], ['D', row], ['E', { rows: 1 }]);
    await expect(restore()).rejects.toThrow(/a column that log does not have/);
    expect(await isEmpty()).toBe(true);
  });

  it('is refused with a table twice, with pieces out of order, and with rows that it does not have', async () => {
    const claim: Piece = ['T', { table: 'claim', columns: ['kind', 'key', 'holder'] }];
    const one: Piece = ['D', deflateRawSync(Buffer.from('a\tb\tc\n'))];
    await forge(claim, one, ['E', { rows: 1 }], claim, ['E', { rows: 0 }]);
    await expect(restore()).rejects.toThrow(/does not belong there/);
    await forge(one, claim);
    await expect(restore()).rejects.toThrow(/out of order/);
    await forge(claim, one, ['E', { rows: 2 }]);
    await expect(restore()).rejects.toThrow(/another number of rows/);
    await forge(claim, one);
    await expect(restore()).rejects.toThrow(/has no end/);
    expect(await isEmpty()).toBe(true);
  });

  it('cannot grow beyond what a piece may hold', async () => {
    await forge(['T', { table: 'log', columns: ['n'] }], ['D', deflateRawSync(Buffer.alloc(200_000_000))], ['E', { rows: 1 }]);
    await expect(restore()).rejects.toThrow(/damaged/);
    const bytes = await readFile(file);
    await writeFile(file, Buffer.concat([MAGIC, Buffer.from('H'), Buffer.from('ffffffff', 'hex'), bytes]));
    expect(await refused()).toContain('claims 4294967295 bytes');
  });
});

describe('restoring', () => {
  it('is for an installation that was never used', async () => {
    await copyTaken();
    await restore();
    await expect(restore()).rejects.toThrow('there is something in log already');
  });

  it('leaves nothing when it is interrupted, and can be begun again', async () => {
    await copyTaken();
    const ending = new AbortController();
    const progress = (bytes: number): void => {
      if (bytes > 10_000) ending.abort();
    };
    await expect(restore({ signal: ending.signal, progress })).rejects.toThrow(/abort/);
    expect(await isEmpty()).toBe(true);
    expect(await restore()).toMatchObject({ events: 302 });
  });

  it.each([
    ['the database goes away', 'PERFORM pg_terminate_backend(pg_backend_pid());'],
    ['its disk is full', `RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full';`],
  ])('leaves nothing when %s in the middle', async (_, trouble) => {
    await copyTaken();
    await migrate(target.url);
    await target.pool.query(`
      CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${trouble} RETURN NEW; END $$;
      CREATE TRIGGER trouble BEFORE INSERT ON claim FOR EACH ROW EXECUTE FUNCTION trouble()`);
    await expect(restore()).rejects.toThrow(/terminat|no space left/);
    expect(await isEmpty()).toBe(true);
    await target.pool.query('DROP FUNCTION trouble CASCADE');
    expect(await restore()).toMatchObject({ events: 302 });
  });

  it('brings a backup of an older version to this one', async () => {
    const old = await empty();
    const names = migrations.map(({ name }) => name).filter((name) => !name.startsWith('CreateKeptAnswers'));
    await migrate(old.url, names);
    await fill(old);
    await take(old);
    // The installation goes on, with the version after: only its keys are kept.
    await migrate(old.url);
    await take(old, null);
    await old.drop();
    await restore();
    expect(await isThere('kept_answer')).toBe(true);
    expect(await migrate(target.url)).toEqual([]);
  });

  it('refuses what does not belong together, or is of a later version', async () => {
    await copyTaken();
    const { data, keys } = await orderOf();
    const check =
      (change: Partial<typeof data.head>, keysToo: Partial<typeof data.head> = {}) =>
      () => {
        refuseMisfits({ ...data, head: { ...data.head, ...change } }, { ...keys, head: { ...keys.head, ...keysToo } }, 'postgres');
      };
    expect(check({})).not.toThrow();
    expect(check({ migrations: ['FromTheFuture'] })).toThrow('made by a later version (9; it knows FromTheFuture)');
    expect(check({ migrations: data.head.migrations.slice(0, 5) })).not.toThrow();
    expect(check({}, { migrations: data.head.migrations.slice(0, 5) })).toThrow('copied by an older version than the data');
    expect(check({ origin: 'another' })).toThrow('of two installations');
    expect(check({}, { takenAt: '2001-01-01T00:00:00.000Z' })).toThrow('the keys were copied before the data');
    expect(check({ engine: 'kurrentdb' })).toThrow('set EVENTSTORE_URL');
    expect(check({ part: 'keys' })).toThrow('name the file of the data first');
    expect(check({}, { part: 'data' })).toThrow('--keys names the file of the keys');
    expect(keyIdOf(master)).toHaveLength(16);
  });

  it('refuses a database whose schema is newer than the backup', async () => {
    await copyTaken();
    await migrate(target.url);
    const order = await orderOf();
    const older = { ...order.data.head, migrations: order.data.head.migrations.slice(0, 4) };
    await expect(restoreBackup({ ...order, data: { ...order.data, head: older } })).rejects.toThrow('restore into an empty database');
  });
});

describe('what happened after the data were copied', () => {
  const keyOf = async (userId: number): Promise<unknown> =>
    (await target.pool.query(`SELECT wrapped IS NULL AS gone FROM subject_keys WHERE subject = $1`, [`account-${String(userId)}`])).rows[0];
  const passwords = async (): Promise<unknown> => (await target.pool.query('SELECT user_id FROM passwords ORDER BY 1')).rows;

  it('who was erased meanwhile is not readable again, and his erasure is taken up', async () => {
    const live = await empty();
    await migrate(live.url);
    await fill(live);
    await take(live);
    await new PostgresKeyring(live.pool, master).erase('account-2');
    await live.pool.query('DELETE FROM passwords WHERE user_id = 2; INSERT INTO erasures (user_id, done_at) VALUES (2, now())');
    await append(live, [eventOf('account-2', 'AccountErased')]);
    await take(live, null);
    await live.drop();
    expect(await restore()).toMatchObject({ erasing: [2] });
    expect([await keyOf(1), await keyOf(2), await passwords()]).toEqual([{ gone: false }, { gone: true }, [{ user_id: 1 }]]);
    expect((await target.pool.query('SELECT user_id FROM erasures WHERE done_at IS NULL')).rows).toEqual([{ user_id: 2 }]);
  });

  it('who is named as erased is erased, whatever the keys say', async () => {
    await copyTaken();
    expect(await restore({ erased: [1] })).toMatchObject({ erasing: [1] });
    expect([await keyOf(1), await keyOf(2), await passwords()]).toEqual([{ gone: true }, { gone: false }, [{ user_id: 2 }]]);
  });

  it('who came later leaves nothing to the next of that number', async () => {
    const live = await empty();
    await migrate(live.url);
    await fill(live);
    await take(live);
    await new PostgresKeyring(live.pool, master).seal('account-3', 'late');
    await live.pool.query(`INSERT INTO passwords (user_id, hash) VALUES (3, 'late')`);
    await take(live, null);
    await live.drop();
    await restore();
    expect([await keyOf(3), await passwords()]).toEqual([undefined, [{ user_id: 1 }, { user_id: 2 }]]);
  });

  it('what was sealed meanwhile is declared lost in the log, where everybody can read it', async () => {
    await copyTaken();
    const [signer] = await new SealKeys({ pool: source.pool, master, origin: ORIGIN }).signers();
    if (signer === undefined) throw new Error('nobody signs');
    const checkpoint = signCheckpoint({ origin: ORIGIN, size: 310, root: randomBytes(32) }, [signer]);
    expect(await restore({ checkpoint })).toMatchObject({ lost: { from: 310, to: 302 } });
    const { rows } = await target.pool.query(`SELECT n, type, scope, data FROM log ORDER BY n DESC LIMIT 1`);
    expect(rows).toEqual([{ n: '302', type: 'LogTruncated', scope: 'system', data: expect.stringContaining('"from":310,"to":302') }]);
    expect((await target.pool.query('SELECT number, size, generation FROM ledger_checkpoint')).rows).toEqual([
      { number: '1', size: '310', generation: 0 },
    ]);
    expect((await target.pool.query('SELECT generation FROM ledger_state')).rows).toEqual([{ generation: 1 }]);
  });

  it('a checkpoint of somebody else is refused', async () => {
    await copyTaken();
    await expect(restore({ checkpoint: 'nonsense' })).rejects.toThrow('the checkpoint is none');
    expect(await isEmpty()).toBe(true);
  });
});
