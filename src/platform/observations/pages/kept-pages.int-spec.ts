import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createObservationDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { until } from '../../../../test/support/until.ts';
import { KeptPages, pageHash } from './kept-pages.ts';

const SITE = 'a1'.repeat(12);
let database: TestDatabase;
let pages: KeptPages;
beforeAll(async () => {
  database = await createObservationDatabase();
  pages = new KeptPages(database.pool);
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query('TRUNCATE kept_page'));

/** A trim that waits for a row lock; the server shows the beginning of its text. */
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH holder AS%' AND query NOT LIKE '%pg_stat_activity%'`;

const stored = async (): Promise<number> => (await database.pool.query('SELECT 1 FROM kept_page')).rowCount ?? 0;

describe('kept pages', () => {
  it('are stored once for many runs and read back unchanged', async () => {
    const page = Buffer.from('<html>Grüße</html>'.repeat(500));
    const kept = await Promise.all(Array.from({ length: 3 }, () => pages.keep(SITE, page)));
    expect(kept).toEqual(Array(3).fill(pageHash(page)));
    expect(await stored()).toBe(1);
    expect(await pages.read(SITE, pageHash(page))).toEqual(page);
    expect(await pages.read(SITE, '00'.repeat(32))).toBeNull();
  });

  it('are written again only after ten minutes', async () => {
    const page = Buffer.from('<html>the same page of many sites</html>');
    const keptAt = async (): Promise<Date | undefined> =>
      (await database.pool.query<{ kept_at: Date }>('SELECT kept_at FROM kept_page')).rows[0]?.kept_at;
    await pages.keep(SITE, page);
    const first = await keptAt();
    await pages.keep(SITE, page);
    expect(await keptAt()).toEqual(first);
    await database.pool.query(`UPDATE kept_page SET kept_at = now() - interval '11 minutes'`);
    await pages.keep(SITE, page);
    expect((await keptAt())?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? Infinity);
  });

  it('are not returned when they do not match their hash', async () => {
    const [page, other] = [Buffer.from('<html>kept</html>'), Buffer.from('<html>another</html>')];
    const [name] = [await pages.keep(SITE, page), await pages.keep(SITE, other)];
    expect(await pages.verify()).toEqual({ pages: 2, wrong: null });
    for (const forged of [`(SELECT packed FROM kept_page WHERE sha256 <> $1)`, `'\\x00'::bytea`]) {
      await database.pool.query(`UPDATE kept_page SET packed = ${forged} WHERE sha256 = $1`, [Buffer.from(name, 'hex')]);
      expect(await pages.read(SITE, name)).toBeNull();
      expect(await pages.verify()).toMatchObject({ wrong: name });
    }
  });

  it('stay within their budget, oldest trimmed first', async () => {
    const [old, middle, young] = [1, 2, 3].map(() => randomBytes(10_000));
    for (const page of [old, middle, young]) await pages.keep(SITE, page ?? Buffer.alloc(0));
    expect(await pages.trim(25_000, 90)).toEqual({ deleted: 1, evicted: 1 });
    expect(await pages.read(SITE, pageHash(old ?? Buffer.alloc(0)))).toBeNull();
    expect(await pages.read(SITE, pageHash(young ?? Buffer.alloc(0)))).toEqual(young);
    await database.pool.query(`UPDATE kept_page SET kept_at = now() - interval '91 days'`);
    expect(await pages.trim(25_000, 90)).toEqual({ deleted: 2, evicted: 0 });
  });

  it('are kept by two checkers at once, in any order, while others are trimmed', async () => {
    const checkers = [pages, new KeptPages(database.pool)];
    const shared = Array.from({ length: 200 }, (_, nth) => Buffer.from(`<html>${String(nth)}</html>`.repeat(20)));
    const keepAll = (checker: KeptPages, some: readonly Buffer[]) => Promise.all(some.map((page) => checker.keep(SITE, page, false)));
    for (let round = 0; round < 3; round++) {
      // Aged, so that each is touched again, or past the retention.
      await database.pool.query('UPDATE kept_page SET kept_at = to_timestamp($1::float8 - 86400 * (get_byte(sha256, 0) % 3))', [
        Date.now() / 1_000,
      ]);
      const kept = [keepAll(checkers[0]!, shared), keepAll(checkers[1]!, shared.toReversed())];
      await Promise.all([...kept, pages.trim(1e9, 1), pages.trim(1e9, 1)]);
      expect((await kept[1])?.toReversed()).toEqual(await kept[0]);
      expect(await stored()).toBe(shared.length);
    }
  });

  it('are not trimmed when a run keeps them again concurrently', async () => {
    const page = randomBytes(10_000);
    await pages.keep(SITE, page);
    await database.pool.query(`UPDATE kept_page SET kept_at = now() - interval '91 days'`);
    const seeing = await database.pool.connect();
    await seeing.query('BEGIN');
    await new KeptPages(seeing).keep(SITE, page);
    const trimming = pages.trim(25_000, 90);
    await until(async () => (await database.pool.query(WAITING)).rowCount === 1, 5_000);
    await seeing.query('COMMIT');
    seeing.release();
    expect(await trimming).toEqual({ deleted: 0, evicted: 0 });
    expect(await pages.read(SITE, pageHash(page))).toEqual(page);
  });
});
