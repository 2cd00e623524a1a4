import { LogDamaged } from '../event-store/log-damaged.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Bell } from '../postgres/wake.ts';
import { type LogQuery, LogReplaced } from './log.ts';

/** Pages that the database prepares while one is processed: `n` has no gaps, so the start of each page is known before the previous one is read. */
const READ_AHEAD = 2;

type Page = readonly LogEvent[];

/**
 * Catch-up subscription to the log after `start`: reads pages ahead while there are many, then one at each wake-up or poll, until aborted. The bell is older
 * than the first read and remembers a ring, so that a page which is not full needs no second read of the end of the log.
 */
export async function* followPages(
  read: (query: LogQuery) => Promise<Page>,
  bell: Bell,
  start: number,
  signal: AbortSignal,
  limit: number,
): AsyncGenerator<Page> {
  let after = Math.max(start, -1);
  /** The id of the event at `after`, once it was read. */
  let id: string | null = null;
  let readAhead: Promise<Page>[] = [];
  const requestPage = () => {
    const position = after + readAhead.length * limit;
    // Includes the event before the page: only that event shows whether the page continues the history that was read.
    const page = read(position < 0 ? { after: position, limit } : { after: position - 1, limit: limit + 1 });
    // Handled here because an abort may leave the page unawaited.
    page.catch(() => undefined);
    readAhead.push(page);
  };
  try {
    while (!signal.aborted) {
      if (readAhead.length === 0) requestPage();
      const found = (await readAhead.shift()) ?? [];
      const page: Page = after < 0 ? found : eventsBehind(found, { n: after, id });
      if (after >= 0) id = found[0]?.id ?? id;
      const isFull = page.length === limit;
      // Pages read ahead of a page that was not full may lack events appended since.
      if (!isFull) readAhead = [];
      const last = page.at(-1);
      if (last !== undefined) {
        after += page.length;
        ({ id } = last);
        if (last.n !== after) throw gapBefore(last.n);
        while (isFull && readAhead.length < READ_AHEAD) requestPage();
        yield page;
      }
      if (!isFull) await bell.poll(signal);
    }
  } finally {
    bell.close();
  }
}

/** Empty while the log lacks the known event itself: an engine that mirrors another store writes it again. */
function eventsBehind([first, ...events]: Page, known: { readonly n: number; readonly id: string | null }): Page {
  if (first === undefined) return [];
  if (first.n !== known.n) throw gapBefore(first.n);
  if (known.id !== null && first.id !== known.id)
    throw new LogReplaced(`the log holds event ${first.id} at ${String(known.n)}, where ${known.id} was read before`);
  return events;
}

const gapBefore = (n: number): LogDamaged => new LogDamaged(`gap in the log: an event before ${String(n)} is missing`);
