import type { LogEvent } from '../../../kernel/event.ts';
import type { LogReader } from '../../log/log.ts';

type Page = readonly LogEvent[];

/**
 * Reads the log page after page; the database prepares the next pages while one is applied. Positions have no gaps, so their starts are known. Events are parsed when they are
 * applied, so that of the pages ahead only texts are alive when garbage is collected.
 */
export class PrefetchedPages {
  private prefetched: { readonly after: number; readonly page: Promise<Page> }[] = [];
  private bounds = '';

  constructor(
    private readonly log: Pick<LogReader, 'read'>,
    private readonly ahead: number,
  ) {}

  async next(after: number, limit: number, until?: number): Promise<Page> {
    const bounds = `${String(limit)} ${String(until)}`;
    if (this.bounds !== bounds || this.prefetched[0]?.after !== after) this.discard();
    this.bounds = bounds;
    const read = (from: number): Promise<Page> =>
      this.log.read({ after: from, limit, isLazy: true, ...(until !== undefined && { until }) });
    const events = await (this.prefetched.shift()?.page ?? read(after));
    const last = events.at(-1);
    // At the head of the log, pages that were read ahead may lack events appended since.
    if (last === undefined || events.length < limit) this.discard();
    else
      while (this.prefetched.length < this.ahead) {
        const from = last.n + this.prefetched.length * limit;
        if (until !== undefined && from >= until) break;
        const page = read(from);
        // It may reject before anything awaits it.
        page.catch(() => undefined);
        this.prefetched.push({ after: from, page });
      }
    return events;
  }

  /** Makes `next` return the page once more. */
  putBack(after: number, page: Page): void {
    this.prefetched.unshift({ after, page: Promise.resolve(page) });
  }

  discard(): void {
    this.prefetched = [];
  }
}
