import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';

type Page = readonly LogEvent[];

/** The log page after page. While one is worked on, the database prepares the next: positions have no gaps, so where each begins is known. */
export class PagesAhead {
  private coming: { readonly after: number; readonly page: Promise<Page> }[] = [];
  private asked = '';

  constructor(
    private readonly log: Log,
    private readonly ahead: number,
  ) {}

  /** The page after a place; the following ones are on their way once it is full. */
  async next(after: number, limit: number, until?: number): Promise<Page> {
    const asked = `${String(limit)} ${String(until)}`;
    if (this.asked !== asked || this.coming[0]?.after !== after) this.forget();
    this.asked = asked;
    const read = (from: number): Promise<Page> => this.log.read({ after: from, limit, ...(until !== undefined && { until }) });
    const events = await (this.coming.shift()?.page ?? read(after));
    const last = events.at(-1);
    // What was read ahead of a page that was not full may have missed what came since.
    if (last === undefined || events.length < limit) this.forget();
    else
      while (this.coming.length < this.ahead) {
        const from = last.n + this.coming.length * limit;
        if (until !== undefined && from >= until) break;
        const page = read(from);
        // It may fail before anybody waits for it.
        page.catch(() => undefined);
        this.coming.push({ after: from, page });
      }
    return events;
  }

  /** Was looked at, and is for later. */
  putBack(after: number, page: Page): void {
    this.coming.unshift({ after, page: Promise.resolve(page) });
  }

  forget(): void {
    this.coming = [];
  }
}
