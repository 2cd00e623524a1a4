import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import { leafOf } from '../verify/leaf.ts';
import { leafHash } from '../verify/merkle-tree.ts';

/** How the log goes on behind the last sealed event. */
export type Tip = { readonly kind: 'goes on'; readonly events: readonly LogEvent[] } | { readonly kind: 'broken'; readonly reason: string };

export const hashOf = (event: LogEvent): Buffer => leafHash(leafOf(event));

/**
 * The next events, read together with the last sealed one: a log that was restored may have grown beyond what was sealed before anybody
 * looked, so its length alone says nothing.
 */
export async function readTip(
  log: Pick<Log, 'read'>,
  sealed: { readonly size: number; readonly last: Buffer | null },
  limit: number,
): Promise<Tip> {
  const overlap = sealed.last === null ? 0 : 1;
  const read = await log.read({ after: sealed.size - 1 - overlap, limit: limit + overlap });
  const hole = read.findIndex(({ n }, at) => n !== sealed.size - overlap + at);
  if (read.length < overlap) return broken(`the log is shorter than the ${String(sealed.size)} events that were sealed`);
  if (hole >= 0) return broken(`event ${String(sealed.size - overlap + hole)} of the log is missing`);
  const [last] = read;
  if (sealed.last !== null && last && !hashOf(last).equals(sealed.last))
    return broken(`event ${String(last.n)} of the log is not the one that was sealed`);
  return { kind: 'goes on', events: read.slice(overlap) };
}

const broken = (reason: string): Tip => ({ kind: 'broken', reason });
