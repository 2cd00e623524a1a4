import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import type { TileTree } from '../verify/tile-tree.ts';
import { hashOf } from './tip.ts';

/** An operator's word that the log lost what was sealed behind `to`, such as after a restore. It stands in the log itself, where everybody can read it. */
export interface Truncation {
  /** How many events had been sealed. */
  readonly from: number;
  /** How many of them the log still has. */
  readonly to: number;
}

export const LOG_TRUNCATED = 'LogTruncated';

const PAGE = 1000;

export function truncationIn(event: Pick<LogEvent, 'type' | 'data'>): Truncation | null {
  if (event.type !== LOG_TRUNCATED || !('from' in event.data) || !('to' in event.data)) return null;
  const { from, to } = event.data;
  const isSize = (size: unknown): size is number => typeof size === 'number' && Number.isSafeInteger(size) && size >= 0;
  return isSize(from) && isSize(to) && to < from ? { from, to } : null;
}

/** The declaration that speaks of exactly what was sealed, if an operator made one. */
export async function findDeclared(log: Pick<Log, 'read'>, sealedSize: number): Promise<Truncation | null> {
  for (let after = -1; ;) {
    const page = await log.read({ after, scope: 'system', limit: PAGE });
    for (const event of page) {
      const truncation = truncationIn(event);
      if (truncation?.from === sealedSize && truncation.to <= event.n) return truncation;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return null;
    after = last.n;
  }
}

/** How many of the sealed events the log still has: the truncation that an operator may declare. */
export async function measureTruncation(log: Pick<Log, 'read'>, tree: TileTree, sealedSize: number): Promise<Truncation | null> {
  for (let at = 0; at < sealedSize;) {
    const page = await log.read({ after: at - 1, until: sealedSize - 1, limit: PAGE });
    for (const event of page) {
      if (event.n !== at || !hashOf(event).equals(await tree.leaf(at))) return { from: sealedSize, to: at };
      at++;
    }
    if (page.length === 0) return { from: sealedSize, to: at };
  }
  return null;
}

/** A declaration counts only if the log up to there is still what was sealed. */
export async function isHonest(log: Pick<Log, 'read'>, tree: TileTree, { to }: Truncation): Promise<boolean> {
  if (to === 0) return true;
  const [last] = await log.read({ after: to - 2, limit: 1 });
  return last?.n === to - 1 && hashOf(last).equals(await tree.leaf(to - 1));
}
