import { LogDamaged } from '../event-store/log-rows.ts';
import type { Bell } from '../persistence/wake.ts';
import type { LogEvent } from '../kernel/event.ts';
import { type LogQuery, LogReplaced } from './log.ts';

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
  /** Of the event at `after`, once it was seen. */
  let id: string | null = null;
  let coming: Promise<Page>[] = [];
  const ask = () => {
    const place = after + coming.length * limit;
    // Together with the one before: what follows in its place alone says nothing of what it follows.
    const page = read(place < 0 ? { after: place, limit } : { after: place - 1, limit: limit + 1 });
    // It may never be waited for.
    page.catch(() => undefined);
    coming.push(page);
  };
  try {
    while (!signal.aborted) {
      if (coming.length === 0) ask();
      const found = (await coming.shift()) ?? [];
      const page = after < 0 ? found : behind(found, { n: after, id });
      if (after >= 0) id = found[0]?.id ?? id;
      // What was read ahead of a page that was not full may have missed what came since.
      if (page.length < limit) coming = [];
      const last = page.at(-1);
      if (last === undefined) {
        await bell.wait(POLL_MS, signal);
        continue;
      }
      after += page.length;
      ({ id } = last);
      if (last.n !== after) throw new LogDamaged(`an event is missing from the log before ${String(last.n)}`);
      if (page.length === limit) while (coming.length < AHEAD) ask();
      yield page;
    }
  } finally {
    bell.close();
  }
}

/** Empty where the place itself is gone: on an engine that fills the log from elsewhere, it comes again. */
function behind([standing, ...events]: Page, { n, id }: { readonly n: number; readonly id: string | null }): Page {
  if (standing === undefined) return [];
  if (standing.n !== n) throw new LogDamaged(`an event is missing from the log before ${String(standing.n)}`);
  if (id !== null && standing.id !== id) throw new LogReplaced(`at ${String(n)} the log holds event ${standing.id}, where ${id} was heard`);
  return events;
}
