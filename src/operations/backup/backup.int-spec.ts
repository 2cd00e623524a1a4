import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { BackupWorld, master, ORIGIN, quiet } from '../../../test/support/backup-world.ts';
import type { TestDatabase } from '../../../test/support/database.ts';
import { LedgerStore } from '../../proof/seal/store/ledger-store.ts';
import { migrate } from '../../app/migration-table.ts';
import { keptTables, leftOut, tablesOf } from './kept-tables.ts';
import { checkBackup } from './read-backup.ts';
import { takeBackup } from './take-backup.ts';

const world = BackupWorld.prepare();

const contents = async ({ pool }: TestDatabase, tables: readonly string[]): Promise<Record<string, unknown>> => {
  const all: Record<string, unknown> = {};
  for (const table of tables) all[table] = (await pool.query(`SELECT t::text AS row FROM ${table} AS t ORDER BY 1`)).rows;
  return all;
};

describe('a backup', () => {
  it('either holds or names as left out every table of the schema', async () => {
    const { rows } = await world.source.pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...Object.keys(keptTables), ...Object.keys(leftOut)].toSorted());
  });

  it('is restored row by row, and its sequences continue after the restored values', async () => {
    const { data, keys } = await world.take();
    expect(data?.rows).toMatchObject({ log: 302, sample_hour: 3, run_flush: 2, claim: 1 });
    expect(keys.rows).toMatchObject({ subject_keys: 2, passwords: 2, ledger_key: 1 });
    expect(await world.restore()).toMatchObject({ events: 302, lost: null, erasing: [] });
    const tables = [...tablesOf('data'), ...tablesOf('keys')];
    expect(await contents(world.target, tables)).toEqual(await contents(world.source, tables));
    const next = await world.target.pool.query<{ id: string }>(
      `INSERT INTO sample_flush (slot, first_at, last_at, packed, ids) VALUES (1, 1, 1, '', '') RETURNING id`,
    );
    expect(next.rows).toEqual([{ id: '3' }]);
    expect(await migrate(world.target.url)).toEqual([]);
  });

  it('holds no key in the file of the data', async () => {
    await world.copyTaken();
    const { rows } = await world.source.pool.query<{ wrapped: Buffer }>('SELECT wrapped FROM subject_keys');
    const held: string[] = [];
    for (const table of await checkBackup(world.file, master, quiet).then(Object.keys)) held.push(table);
    expect(held.filter((table) => !Object.hasOwn(keptTables, table) || tablesOf('keys').some((name) => name === table))).toEqual([]);
    expect(rows).toHaveLength(2);
  });

  it('replaces the previous file only when it is complete', async () => {
    await writeFile(world.file, 'the previous backup');
    const ending = new AbortController();
    const progress = (): void => {
      ending.abort();
    };
    const order = {
      url: world.source.url,
      observationsUrl: undefined,
      master,
      engine: 'postgres',
      program: '9',
      file: world.file,
      keysFile: `${world.file}.keys`,
      signal: ending.signal,
      progress,
    } as const;
    await expect(takeBackup(order)).rejects.toThrow(/abort/);
    expect([await readFile(world.file, 'utf8'), await readdir(world.folder)]).toEqual(['the previous backup', ['b']]);
  });

  it('is refused for an empty database', async () => {
    await expect(world.take(world.target)).rejects.toThrow('never used');
    await migrate(world.target.url);
    await expect(world.take(world.target)).rejects.toThrow('never used');
  });

  it('is refused for a schema of a later version', async () => {
    await migrate(world.target.url);
    await new LedgerStore(world.target.pool).initialise(ORIGIN);
    await world.target.pool.query(`INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'FromTheFuture')`);
    await expect(world.take(world.target)).rejects.toThrow('newer than this program (FromTheFuture)');
  });
});
