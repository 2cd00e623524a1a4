import { beforeEach, describe, expect, it } from '@jest/globals';
import { examplePage } from '../../test/support/status-page-model.ts';
import { draftsOnly, noColors, noWords } from './status-page.settings.ts';
import type { StatusPageRow } from './status-page.view.ts';
import type { Views, ViewsAt } from '../platform/read-models/views/views.ts';
import type { StatusPageModel } from './model.ts';
import { PageCache } from './page-cache.ts';

const row: StatusPageRow = {
  ...{ pageId: 'a', password: null, by: 1, createdAt: '', openedAt: '', openedN: 3, changedAt: '', changedN: 3, order: 3, hosts: [] },
  settings: {
    slug: 'shop',
    title: 'Shop',
    access: 'public',
    languages: ['en'],
    groups: [],
    words: noWords,
    colors: noColors,
    automatic: draftsOnly,
  },
};

/** A cache on a database that can be away, with a clock that the test sets. */
class World {
  now = Date.UTC(2026, 10, 21, 12);
  away: Error | null = null;
  hasPage = true;
  happened = 0;
  readonly counts = { looked: 0, read: 0 };
  readonly errors: unknown[] = [];
  readonly cache: PageCache;

  constructor() {
    const views = {
      list: (_: unknown, { where }: { readonly where: { readonly slug: { readonly in: readonly string[] } } }) => {
        this.counts.looked++;
        const found = this.hasPage && where.slug.in.includes('shop') ? [{ key: 'a', row }] : [];
        return this.away === null ? Promise.resolve(found) : Promise.reject(this.away);
      },
      position: () => 10,
    };
    this.cache = new PageCache({
      // Cast: it reads nothing else.
      views: { now: () => views as unknown as Views } as unknown as ViewsAt,
      reading: {
        read: (): Promise<StatusPageModel> => {
          this.counts.read++;
          return Promise.resolve(examplePage({ at: this.now, n: 10 }));
        },
      },
      backlog: () => Promise.resolve(this.happened),
      now: () => this.now,
      monotonicNow: () => this.now,
      report: (error) => this.errors.push(error),
    });
  }
}

let world: World;
beforeEach(() => {
  world = new World();
});
const get = () => world.cache.get('shop');

describe('a page in memory', () => {
  it('is read once for all who ask at once, and not again while nothing happens', async () => {
    await Promise.all(Array.from({ length: 100 }, get));
    expect(world.counts).toEqual({ looked: 1, read: 1 });
    expect(world.cache.current('shop')).toBeDefined();
    const body = Promise.resolve() as never;
    (await get())?.bodies.set('en', body);
    world.now += 5_000;
    expect(world.cache.current('shop')).toBeUndefined();
    expect((await get())?.bodies.get('en')).toBe(body);
    expect(world.counts).toEqual({ looked: 3, read: 1 });
  });

  it('is answered while thousands ask for pages that do not exist', async () => {
    const others = Array.from({ length: 3_000 }, (_, nth) => world.cache.get(`unknown-${String(nth)}`));
    expect(await get()).not.toBeNull();
    expect(new Set(await Promise.all(others))).toEqual(new Set([null]));
    expect(world.counts).toEqual({ looked: 1, read: 1 });
  });

  it('is read again when something happened, and for measurements every half minute', async () => {
    await get();
    world.now += 5_000;
    world.happened = 1;
    expect((await get())?.bodies.size).toBe(0);
    expect(world.counts.read).toBe(2);
    world.happened = 0;
    world.now += 30_000;
    await get();
    expect(world.counts.read).toBe(3);
  });

  it('is looked at in the background while it is shown on for a moment', async () => {
    await get();
    world.now += 1_500;
    expect(world.cache.current('shop')).toBeDefined();
    await new Promise(setImmediate);
    expect(world.counts.looked).toBe(2);
  });

  it('says since when it is out of date while the database is away, and nothing of it afterwards', async () => {
    await get();
    const read = world.now;
    world.now += 60_000;
    world.away = new Error('Connection terminated');
    expect((await get())?.staleSince).toBe(read);
    // The next requests do not wait for the database.
    expect(world.cache.current('shop')?.staleSince).toBe(read);
    world.now += 60_000;
    expect((await get())?.staleSince).toBe(read);
    expect(world.errors.length).toBeGreaterThan(0);
    world.away = null;
    world.now += 60_000;
    expect((await get())?.staleSince).toBeNull();
  });

  it('is not invented: without one, the failure is passed on', async () => {
    world.away = new Error('Connection terminated');
    await expect(get()).rejects.toThrow('Connection terminated');
  });

  it('ends with its page, and a slug without a page is looked up once in a while', async () => {
    await get();
    world.hasPage = false;
    world.now += 5_000;
    expect([await get(), world.cache.current('shop'), await get(), await get()]).toEqual([null, undefined, null, null]);
    expect(world.counts.looked).toBe(2);
  });
});
