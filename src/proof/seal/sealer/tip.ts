import type { LogEvent } from '../../../kernel/event.ts';
import type { Log } from '../../../platform/log/log.ts';
import { leafOf } from '../../../client/proofs/leaf.ts';
import { leafHash } from '../../../client/proofs/merkle-tree.ts';

/** The log behind the last sealed event. */
export type Tip =
  | { readonly kind: 'continues'; readonly events: readonly LogEvent[] }
  | { readonly kind: 'broken'; readonly reason: string };

export const leafHashOf = (event: LogEvent): Buffer => leafHash(leafOf(event));

/** Reads the next events together with the last sealed one: a restored log may have outgrown the sealed size, so its length proves nothing. */
export async function readTip(
  log: Pick<Log, 'read'>,
  sealed: { readonly size: number; readonly last: Buffer | null },
  limit: number,
): Promise<Tip> {
  const overlap = sealed.last === null ? 0 : 1;
  const read = await log.read({ after: sealed.size - 1 - overlap, limit: limit + overlap });
  const gap = read.findIndex(({ n }, at) => n !== sealed.size - overlap + at);
  if (read.length < overlap) return broken(`the log is shorter than the ${String(sealed.size)} sealed events`);
  if (gap >= 0) return broken(`event ${String(sealed.size - overlap + gap)} of the log is missing`);
  const [last] = read;
  if (sealed.last !== null && last && !leafHashOf(last).equals(sealed.last))
    return broken(`event ${String(last.n)} of the log differs from the sealed one`);
  return { kind: 'continues', events: read.slice(overlap) };
}

const broken = (reason: string): Tip => ({ kind: 'broken', reason });
