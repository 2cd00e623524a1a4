import type { LogEvent } from '../../../kernel/event.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { SignedTree } from '../store/ledger-store.ts';
import type { OriginBreak } from '../store/seal-writer.ts';
import { parseCheckpoint } from '../../../client/proofs/checkpoint.ts';
import { generationOf } from '../../../client/proofs/origin.ts';
import { parseNote } from '../../../client/proofs/signed-note.ts';
import type { TileTree } from '../../../client/proofs/tile-tree.ts';
import { generationAfter, truncationIn, type Truncation } from '../../../client/proofs/truncation.ts';
import { leafHashOf } from './tip.ts';

const PAGE = 1000;

/** A declared loss with its event. */
export interface Declaration extends Truncation {
  readonly n: number;
  readonly id: string;
  readonly reason: string;
}

/** Every declared loss, in the order of the log. */
export async function* declarationsIn(log: Pick<Log, 'read'>): AsyncGenerator<Declaration> {
  for (let after = -1; ;) {
    const page = await log.read({ after, scope: 'system', limit: PAGE });
    for (const event of page) {
      const declaration = declarationIn(event);
      if (declaration !== null) yield declaration;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.n;
  }
}

function declarationIn(event: LogEvent): Declaration | null {
  const truncation = truncationIn(event);
  if (truncation === null || truncation.to > event.n) return null;
  const reason = 'reason' in event.data && typeof event.data.reason === 'string' ? event.data.reason : '';
  return { ...truncation, n: event.n, id: event.id, reason };
}

/** An operator's declaration of a loss from the sealed size on that the seal has not followed yet. */
export async function findDeclared(
  log: Pick<Log, 'read'>,
  sealed: { readonly origin: string; readonly size: number; readonly generation: number },
): Promise<Declaration | null> {
  for await (const declaration of declarationsIn(log)) {
    const isOpen = declaration.origin === undefined || generationAfter(sealed.origin, declaration) > sealed.generation;
    if (isOpen && declaration.checkpoint === undefined && declaration.from === sealed.size) return declaration;
  }
  return null;
}

/** Whether an operator declared the loss of exactly this checkpoint. */
export async function isDeclaredWith(
  log: Pick<Log, 'read'>,
  origin: string,
  lost: SignedTree & { readonly generation: number },
): Promise<boolean> {
  for await (const declaration of declarationsIn(log)) {
    const declared = declaration.checkpoint === undefined ? null : parseCheckpoint(parseNote(declaration.checkpoint)?.text ?? '');
    const isLost =
      declared?.size === lost.size && declared.root.equals(lost.root) && declaration.to < lost.size && lost.size <= declaration.from;
    if (isLost && lost.generation < generationAfter(origin, declaration)) return true;
  }
  return false;
}

/** What an event declares about the origins of a log whose first one is `first`; null for other events. */
export function breakIn(first: string, event: LogEvent): OriginBreak | null {
  const declaration = declarationIn(event);
  if (declaration === null) return null;
  const lost = [declaration.checkpoint, declaration.lastCheckpoint].flatMap((note) => {
    const checkpoint = note === undefined ? null : parseCheckpoint(parseNote(note)?.text ?? '');
    const generation = checkpoint === null ? null : generationOf(first, checkpoint.origin);
    return note === undefined || checkpoint === null || generation === null ? [] : [{ ...checkpoint, generation, note }];
  });
  return { generation: generationAfter(first, declaration), lost };
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
