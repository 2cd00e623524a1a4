import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sampleBytes, unpackSample } from '../../../test/support/import-samples.ts';
import { thorough } from '../../../test/support/thorough.ts';
import { readSqlite } from './read-sqlite.ts';
import type { SqliteDatabase, SqliteRecord } from './sqlite-database.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'watchledger-sqlite-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const patience = { attempts: 3, waitMs: 1 };

/** The rows of a file that was not written for a while. */
function rowsOf(path: string, table: string): Promise<readonly SqliteRecord[]> {
  utimesSync(path, new Date(0), new Date(0));
  return readSqlite(path, (database) => [...database.rows(table)], patience);
}
const plain = (value: unknown): unknown => (value instanceof Uint8Array ? `blob:${Buffer.from(value).toString('hex')}` : value);

// The samples were written by SQLite 3.40; the digest is of the rows that it read back.
describe('a database of SQLite', () => {
  it('is read row by row: deep trees, rows over many pages, every kind of value, columns that were added', async () => {
    const rows = await rowsOf(unpackSample(folder, 'sqlite/many-pages.db'), 'odd "table"');
    expect(rows[0]).toEqual({ id: 1, 'a b': '1', n: 1, blob_column: null, later: -5, flag: 1, word: "it's" });
    expect(rows).toHaveLength(2_573);
    const text = JSON.stringify(rows.slice(0, -1).map((row) => Object.values(row).map(plain)));
    expect(createHash('sha256').update(text).digest('hex')).toBe('603c2063b6e04dc0833f871707df3a2eb323ac80125c8986f2396cbddf5638ff');
    expect(rows.at(-1)).toMatchObject({ id: 2 ** 53, n: 7, later: 8, flag: 0, word: null });
  });

  it.each(['utf-16le', 'utf-16be'])('is read in %s', async (encoding) => {
    expect(await rowsOf(unpackSample(folder, `sqlite/${encoding}.db`), 't')).toEqual([{ a: 'Žluť 🐎' }]);
  });

  it('has no rows in a table that is empty or missing, and says which table it cannot read', async () => {
    const path = unpackSample(folder, 'sqlite/many-pages.db');
    expect(await rowsOf(path, 'empty')).toEqual([]);
    expect(await rowsOf(path, 'nowhere')).toEqual([]);
    await expect(rowsOf(path, 'keyed')).rejects.toThrow('the table keyed cannot be read');
  });
});

describe('a database that is being written', () => {
  const path = (): string => join(folder, 'sqlite/twelve-commits.db');
  const rowsWithLog = async (log: Uint8Array): Promise<number> => {
    unpackSample(folder, 'sqlite/twelve-commits.db');
    writeFileSync(`${path()}-wal`, log);
    return (await rowsOf(path(), 't')).length;
  };

  it('is read as of the last commit of its write-ahead log, wherever the log ends', async () => {
    const whole = sampleBytes('sqlite/twelve-commits.db-wal');
    expect(await rowsWithLog(whole)).toBe(36);
    const seen: number[] = [];
    for (let length = 0; length < whole.length; length += thorough(97, 485)) seen.push(await rowsWithLog(whole.subarray(0, length)));
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect([...new Set(seen)]).toEqual(Array.from({ length: 12 }, (_, commits) => commits * 3));
  });

  it('ignores frames that are damaged or of an earlier round of the log', async () => {
    const whole = sampleBytes('sqlite/twelve-commits.db-wal');
    const damaged = Buffer.from(whole);
    damaged[whole.length - 600] = (damaged[whole.length - 600] ?? 0) ^ 1;
    expect(await rowsWithLog(damaged)).toBe(33);
    expect(await rowsWithLog(Buffer.concat([whole, whole.subarray(32, 32 + 536 * 3)]))).toBe(36);
    expect(await rowsWithLog(Buffer.from('no log at all, but longer than the header of one'))).toBe(0);
  });

  it('is read again where a checkpoint came in between', async () => {
    await rowsWithLog(sampleBytes('sqlite/twelve-commits.db-wal'));
    let reads = 0;
    const read = (database: SqliteDatabase): number => {
      reads += 1;
      const rows = [...database.rows('t')].length;
      if (reads === 1) utimesSync(path(), new Date(), new Date());
      return rows;
    };
    expect([await readSqlite(path(), read), reads]).toEqual([36, 2]);
  });

  it('is refused where writers leave no time', async () => {
    await rowsWithLog(sampleBytes('sqlite/twelve-commits.db-wal'));
    let at = Date.now();
    const read = (): void => utimesSync(path(), new Date(), new Date((at += 1_000)));
    await expect(readSqlite(path(), read, patience)).rejects.toThrow('is written all the time (a writer changed it)');
  });

  it('is refused while a rollback journal is open', async () => {
    unpackSample(folder, 'sqlite/utf-16le.db');
    const journal = join(folder, 'sqlite/utf-16le.db-journal');
    writeFileSync(journal, Buffer.from('d9d505f920a163d7', 'hex'));
    await expect(rowsOf(join(folder, 'sqlite/utf-16le.db'), 't')).rejects.toThrow('a transaction is open');
    writeFileSync(journal, Buffer.alloc(512));
    expect(await rowsOf(join(folder, 'sqlite/utf-16le.db'), 't')).toHaveLength(1);
  });
});

describe('a file that is damaged', () => {
  it.each<[string, (path: string) => void, string]>([
    ['is no database', (path) => writeFileSync(path, 'not a database'.repeat(100)), 'it is not a database of SQLite'],
    ['is empty', (path) => writeFileSync(path, ''), 'it is not a database of SQLite'],
    ['was cut', (path) => truncateSync(path, 4_096), 'which it lacks'],
    ['has a longer tail', (path) => appendFileSync(path, 'x'.repeat(10)), ''],
  ])('that %s is refused in words, or read', async (_, damage, message) => {
    const path = unpackSample(folder, 'sqlite/many-pages.db');
    damage(path);
    const reading = rowsOf(path, 'odd "table"');
    if (message === '') expect(await reading).toHaveLength(2_573);
    else await expect(reading).rejects.toThrow(message);
  });

  it('neither hangs nor crashes, whatever its bytes are', async () => {
    const whole = sampleBytes('sqlite/many-pages.db');
    const path = join(folder, 'random.db');
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const outcomes = new Set<string>();
    for (let round = 0; round < thorough(100, 25); round++) {
      const bytes = Buffer.from(whole);
      for (let flips = 0; flips <= round % 5; flips++) bytes[100 + random(round % 2 === 0 ? 1_500 : bytes.length - 100)] = random(256);
      writeFileSync(path, bytes);
      const outcome = await rowsOf(path, 'odd "table"').then(
        () => 'read',
        (error: unknown) => (error as Error).name,
      );
      outcomes.add(outcome);
    }
    expect([...outcomes].toSorted()).toEqual(['StartRefused', 'read']);
  });
});
