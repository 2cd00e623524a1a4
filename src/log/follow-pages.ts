import { LogDamaged } from '../base/log-rows.ts';
import type { Bell } from '../base/wake.ts';
import type { LogEvent } from '../kernel/event.ts';
import type { LogQuery } from './log.ts';

const POLL_MS = 500;
/** While one page is worked on, the database prepares these: `n` has no gaps, so where each begins is known before it is read. */
const AHEAD = 2;

type Page = readonly LogEvent[];

/** The whole log after a place, in order: pages read ahead while there are many, then one at each ring or poll, until aborted. */
export async function* followPages(
  read: (query: LogQuery) => Promise<Page>,
  bell: Bell,
  start: number,
  signal: AbortSignal,
  limit: number,
): AsyncGenerator<Page> {
  let after = Math.max(start, -1);
  let coming: Promise<Page>[] = [];
  const ask = () => {
    const page = read({ after: after + coming.length * limit, limit });
    // It may never be waited for.
    page.catch(() => undefined);
    coming.push(page);
  };
  try {
    while (!signal.aborted) {
      if (coming.length === 0) ask();
      const page = (await coming.shift()) ?? [];
      // What was read ahead of a page that was not full may have missed what came since.
      if (page.length < limit) coming = [];
      const last = page.at(-1);
      if (last === undefined) {
        await bell.wait(POLL_MS, signal);
        continue;
      }
      after += page.length;
      if (last.n !== after) throw new LogDamaged(`an event is missing from the log before ${String(last.n)}`);
      if (page.length === limit) while (coming.length < AHEAD) ask();
      yield page;
    }
  } finally {
    bell.close();
  }
}
