import type { Log } from '../../log/log.ts';
import type { SignedTree } from '../store/ledger-store.ts';
import { parseCheckpoint } from '../verify/checkpoint.ts';
import { parseNote } from '../verify/signed-note.ts';
import type { TileTree } from '../verify/tile-tree.ts';
import { truncationIn, type Truncation } from '../verify/truncation.ts';
import { leafHashOf } from './tip.ts';

const PAGE = 1000;

/** Every declared loss, in the order of the log. */
export async function* declarationsIn(log: Pick<Log, 'read'>): AsyncGenerator<Truncation> {
  for (let after = -1; ;) {
    const page = await log.read({ after, scope: 'system', limit: PAGE });
    for (const event of page) {
      const truncation = truncationIn(event);
      if (truncation !== null && truncation.to <= event.n) yield truncation;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.n;
  }
}

/** An operator's declaration that matches the sealed size, if there is one. */
export async function findDeclared(log: Pick<Log, 'read'>, sealedSize: number): Promise<Truncation | null> {
  for await (const truncation of declarationsIn(log))
    if (truncation.checkpoint === undefined && truncation.from === sealedSize) return truncation;
  return null;
}

/** Whether an operator declared the loss of exactly this checkpoint. */
export async function isDeclaredWith(log: Pick<Log, 'read'>, lost: SignedTree): Promise<boolean> {
  for await (const { checkpoint } of declarationsIn(log)) {
    const declared = checkpoint === undefined ? null : parseCheckpoint(parseNote(checkpoint)?.text ?? '');
    if (declared?.size === lost.size && declared.root.equals(lost.root)) return true;
  }
  return false;
}

/** Compares the log with the seal: the truncation that an operator may declare, null when nothing is lost. */
export async function measureTruncation(log: Pick<Log, 'read'>, tree: TileTree, sealedSize: number): Promise<Truncation | null> {
  for (let at = 0; at < sealedSize;) {
    const page = await log.read({ after: at - 1, until: sealedSize - 1, limit: PAGE });
    for (const event of page) {
      if (event.n !== at || !leafHashOf(event).equals(await tree.leaf(at))) return { from: sealedSize, to: at };
      at++;
    }
    if (page.length === 0) return { from: sealedSize, to: at };
  }
  return null;
}

/** A declaration is valid only if the log up to its end still matches the seal. */
export async function matchesSeal(log: Pick<Log, 'read'>, tree: TileTree, { to }: Truncation): Promise<boolean> {
  if (to === 0) return true;
  const [last] = await log.read({ after: to - 2, limit: 1 });
  return last?.n === to - 1 && leafHashOf(last).equals(await tree.leaf(to - 1));
}
