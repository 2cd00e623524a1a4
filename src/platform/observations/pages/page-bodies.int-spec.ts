import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createObservationDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { KEYS, ObjectStore } from '../../../../test/support/servers/object-store.ts';
import type { Site } from '../../../../test/support/servers/site.ts';
import { FolderBodies, S3Bodies } from './open-page-bodies.ts';
import { KeptPages, pageHash } from './kept-pages.ts';
import type { PageBodies } from './page-bodies.ts';

const SITE = 'a1'.repeat(12);
let database: TestDatabase;
let folder: string;
let store: ObjectStore;
let site: Site;
beforeAll(async () => {
  [database, folder] = await Promise.all([createObservationDatabase(), mkdtemp(join(tmpdir(), 'pages-'))]);
  ({ store, site } = await ObjectStore.start('eu-central-1', 'bucket'));
});
afterAll(async () => {
  await Promise.all([database.drop(), site.close(), rm(folder, { recursive: true, force: true })]);
});
beforeEach(async () => {
  await database.pool.query('TRUNCATE kept_page, page_body_orphan');
  store.objects.clear();
  await rm(folder, { recursive: true, force: true });
});

const inBucket = (): S3Bodies =>
  new S3Bodies({ endpoint: new URL(site.url).origin, region: 'eu-central-1', bucket: 'bucket', prefix: 'pages', ...KEYS });
const filesIn = async (): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const orphans = async (): Promise<number> => (await database.pool.query('SELECT FROM page_body_orphan')).rowCount ?? 0;

const places: readonly (readonly [string, () => PageBodies, () => Promise<readonly string[]>])[] = [
  ['a folder', () => new FolderBodies(folder), filesIn],
  ['an object store', inBucket, () => Promise.resolve([...store.objects.keys()])],
];

describe.each(places)('pages whose bodies are in %s', (_, open, objects) => {
  const page = Buffer.from('<html>Grüße</html>'.repeat(500));
  const pagesOf = (bodies: PageBodies, orphanMs?: number) => new KeptPages(database.pool, bodies, orphanMs);

  it('are stored once for many runs, outside of the database, and read back unchanged', async () => {
    const pages = pagesOf(open());
    await Promise.all([pages.keep(SITE, page), pages.keep(SITE, page), pages.keep(SITE, page)]);
    await pages.keep(SITE, page);
    await pagesOf(open(), 0).deleteOrphans();
    expect(await objects()).toEqual([expect.stringContaining(pageHash(page))]);
    expect(await pages.read(SITE, pageHash(page))).toEqual(page);
    expect(await pages.verify()).toEqual({ pages: 1, wrong: null });
    expect((await database.pool.query('SELECT packed, stored FROM kept_page')).rows).toEqual([
      { packed: null, stored: expect.any(Number) },
    ]);
    expect(await new KeptPages(database.pool).read(SITE, pageHash(page))).toBeNull();
  });

  it('are deleted with their row, those alone', async () => {
    const pages = pagesOf(open(), 0);
    const kept = [await pages.keep(SITE, page), await pages.keep(SITE, Buffer.from('another'))];
    await database.pool.query(`UPDATE kept_page SET kept_at = now() - interval '100 days' WHERE sha256 = $1`, [
      Buffer.from(kept[0] ?? '', 'hex'),
    ]);
    expect(await pages.trim(1e9, 90)).toEqual({ deleted: 1, evicted: 0 });
    expect([await orphans(), (await objects()).length]).toEqual([1, 2]);
    // Kept again before its former body was deleted.
    await pages.keep(SITE, page);
    expect(await pages.deleteOrphans()).toBe(1);
    expect([await orphans(), (await objects()).length]).toEqual([0, 2]);
    for (const hash of kept) expect(await pages.read(SITE, hash)).not.toBeNull();
  });

  it('leave nothing for ever of a process that died while it kept one', async () => {
    const dying: PageBodies = {
      ...bound(open()),
      put: (...given) =>
        open()
          .put(...given)
          .then(() => Promise.reject(new Error('killed'))),
    };
    await expect(pagesOf(dying).keep(SITE, page)).rejects.toThrow('killed');
    expect([await orphans(), (await objects()).length]).toEqual([1, 1]);
    expect(await pagesOf(open()).deleteOrphans()).toBe(0);
    expect(await pagesOf(open(), 0).deleteOrphans()).toBe(1);
    expect(await objects()).toEqual([]);
  });
});

describe('an object store', () => {
  it('is asked again while it is busy, and its refusal is said', async () => {
    store.failing = 2;
    await inBucket().put('busy', Buffer.from('x'));
    expect([...store.objects.keys()]).toEqual(['pages/busy']);
    const wrong = new S3Bodies({ endpoint: new URL(site.url).origin, region: 'us-east-1', bucket: 'bucket', prefix: '', ...KEYS });
    await expect(wrong.put('refused', Buffer.from('x'))).rejects.toThrow('the object store answered PUT with 403');
  });
});

const bound = (bodies: PageBodies): PageBodies => ({
  put: (...given) => bodies.put(...given),
  get: (...given) => bodies.get(...given),
  delete: (...given) => bodies.delete(...given),
});
