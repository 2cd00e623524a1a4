import { LRUCache } from 'lru-cache';
import { projectsOf } from './status-page.settings.ts';
import { projectStream } from '../kernel/stream-names.ts';
import { ConcurrencyLimit } from '../kernel/concurrency-limit.ts';
import { growingCache } from '../kernel/cached.ts';
import { BatchedLookup } from '../platform/postgres/batched-lookup.ts';
import { type StatusPageRow, statusPageView } from './status-page.view.ts';
import type { ViewsAt } from '../platform/read-models/views/views.ts';
import { type StatusPageModel } from './model.ts';
import type { PageReading } from './page-reading.ts';
import type { ServedBody } from './served-body.ts';
import { utcMidnight } from '../watches/uptime/shown-state.ts';

/** A page in memory. */
export interface ServedPage {
  readonly page: StatusPageRow;
  readonly model: StatusPageModel;
  /** Since when it could not be read again; null: it is current. */
  readonly staleSince: number | null;
  /** What was rendered of it, by language or form. */
  readonly bodies: Map<string, Promise<ServedBody>>;
  /** Monotonic: when it was last known to be current. */
  readonly checkedAt: number;
  /** Monotonic: when it was read as a whole. */
  readonly readAt: number;
}

/** Age up to which a page is served without reading the log. */
const FRESH_MS = 1_000;
/** Age up to which a page is served while the log is read; the request for an older one waits for that. */
const SHOWN_MS = 3_000;
/** Measurements are no events: the page is read again this often, though nothing happened. */
const REREAD_MS = 30_000;
/** A request that waits for a page in memory gets that one after this time: longer than the database is silent before its connections are closed. */
const PATIENCE_MS = 5_000;
/** How long a slug without a page is remembered. */
const UNKNOWN_MS = 2_000;
const MOST_PAGES = 500;
const CONCURRENT_READS = 2;
const MOST_WAITING = 200;
const CONCURRENT_LOOKUPS = 2;

interface ServedPagesParts {
  readonly views: ViewsAt;
  readonly reading: Pick<PageReading, 'read'>;
  readonly backlog: (after: number, scopes: readonly string[]) => Promise<number>;
  readonly now: () => number;
  readonly monotonicNow: () => number;
  readonly report: (error: unknown) => void;
}

/**
 * The pages that were asked for, in memory: read when something happened, rendered once per change and language, and served on while the database is
 * away, saying since when.
 */
export class PageCache {
  private readonly pages = new LRUCache<string, ServedPage>({ max: MOST_PAGES });
  private readonly unknown = growingCache<string, number>(10_000);
  private readonly refreshing = new Map<string, Promise<ServedPage | null>>();
  private readonly limit = new ConcurrencyLimit(CONCURRENT_READS, { maxQueue: MOST_WAITING });
  private readonly lookups = new ConcurrencyLimit(CONCURRENT_LOOKUPS);
  /** Many slugs in one query, so that slugs without a page never wait among the reads of those with one. */
  private readonly bySlug = new BatchedLookup((slugs) => this.lookups.run(() => this.pagesOf(slugs)));

  constructor(private readonly parts: ServedPagesParts) {}

  /** The page if it can be served at once, without a promise: the path of nearly every request. */
  current(slug: string): ServedPage | undefined {
    const known = this.pages.get(slug);
    if (known === undefined) return undefined;
    const age = this.parts.monotonicNow() - known.checkedAt;
    if (age < FRESH_MS) return known;
    if (age >= SHOWN_MS) return undefined;
    void this.refresh(slug).catch(() => undefined);
    return known;
  }

  /** Null when there is no such page; rejects when it is neither in memory nor readable. */
  async get(slug: string): Promise<ServedPage | null> {
    const [now, missed] = [this.parts.monotonicNow(), this.unknown.get(slug)];
    if (missed !== undefined && now - missed < UNKNOWN_MS) return null;
    const known = this.pages.get(slug);
    const refreshed = this.refresh(slug);
    if (known === undefined) return refreshed;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<ServedPage>((resolve) => {
      timer = setTimeout(() => {
        resolve(this.stale(slug, known));
      }, PATIENCE_MS);
    });
    return Promise.race([refreshed.catch(() => this.stale(slug, known)), patience]).finally(() => {
      clearTimeout(timer);
    });
  }

  /** Says of a page in memory since when it is not known to be current. */
  private stale(slug: string, known: ServedPage): ServedPage {
    const present = this.pages.get(slug) ?? known;
    const now = this.parts.monotonicNow();
    if (now - present.checkedAt < SHOWN_MS) return present;
    const staleSince = present.staleSince ?? Math.round(this.parts.now() - (now - present.checkedAt));
    const bodies = present.staleSince === null ? new Map<string, Promise<ServedBody>>() : present.bodies;
    // The next requests are served at once, while one read after the other is attempted.
    const stale: ServedPage = { ...present, staleSince, bodies, checkedAt: now - FRESH_MS };
    this.pages.set(slug, stale);
    return stale;
  }

  /** Coalesces concurrent reads of one page into one. */
  private refresh(slug: string): Promise<ServedPage | null> {
    const running = this.refreshing.get(slug);
    if (running !== undefined) return running;
    const looking = this.look(slug)
      .catch((error: unknown) => {
        this.parts.report(error);
        throw error;
      })
      .finally(() => {
        this.refreshing.delete(slug);
      });
    this.refreshing.set(slug, looking);
    return looking;
  }

  private async pagesOf(slugs: readonly string[]): Promise<ReadonlyMap<string, StatusPageRow>> {
    const found = await this.parts.views.now().list(statusPageView, { where: { slug: { in: slugs } }, parked: 'as before' });
    return new Map(found.map(({ row }) => [row.settings.slug, row]));
  }

  private async look(slug: string): Promise<ServedPage | null> {
    const [began, at] = [this.parts.monotonicNow(), this.parts.now()];
    const page = await this.bySlug.load(slug);
    if (page !== undefined) return this.limit.run(() => this.read(page, began, at));
    this.pages.delete(slug);
    this.unknown.set(slug, began);
    return null;
  }

  private async read(page: StatusPageRow, began: number, at: number): Promise<ServedPage> {
    const { views: viewsAt, reading, backlog } = this.parts;
    const views = viewsAt.now();
    const { slug } = page.settings;
    const known = this.pages.get(slug);
    const position = views.position();
    if (known?.page.changedN === page.changedN && began - known.readAt < REREAD_MS && !isOver(known.model, at)) {
      const scopes = ['system', ...projectsOf(page.settings).map(projectStream)];
      const nothingNew = (await backlog(known.model.n, scopes)) === 0;
      if (nothingNew) return this.keep(slug, known, began, known.staleSince === null ? known.bodies : undefined);
    }
    const model = await reading.read(page, { views, at, present: null });
    return this.keep(slug, { page, model: { ...model, n: Math.min(model.n, position) }, readAt: began }, began);
  }

  private keep(
    slug: string,
    { page, model, readAt }: Pick<ServedPage, 'page' | 'model' | 'readAt'>,
    checkedAt: number,
    bodies: ServedPage['bodies'] = new Map(),
  ): ServedPage {
    const served: ServedPage = { page, model, readAt, staleSince: null, bodies, checkedAt };
    this.pages.set(slug, served);
    return served;
  }
}

/** A day, or planned work, has begun or ended since it was read. */
function isOver(model: StatusPageModel, now: number): boolean {
  if (utcMidnight(model.at) !== utcMidnight(now)) return true;
  const ends = model.groups.flatMap(({ items }) => items.flatMap(({ until }) => until ?? []));
  return ends.some((end) => end <= now) || model.planned.some(({ from }) => from <= now);
}
