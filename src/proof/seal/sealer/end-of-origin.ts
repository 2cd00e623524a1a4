import type { Log } from '../../../platform/log/log.ts';
import { type Signer, signNote } from '../signer.ts';
import type { LedgerStore } from '../store/ledger-store.ts';
import type { NewOriginEnd } from '../store/seal-writer.ts';
import { parseCheckpoint } from '../../../client/proofs/checkpoint.ts';
import { generationOf, originAt } from '../../../client/proofs/origin.ts';
import { ORIGIN_END_FORMAT, originEndText } from '../../../client/proofs/origin-end.ts';
import { parseNote } from '../../../client/proofs/signed-note.ts';
import { generationAfter } from '../../../client/proofs/truncation.ts';
import { type Declaration, declarationsIn } from './truncation.ts';

export interface EndOfOriginNeeds {
  readonly log: Pick<Log, 'read'>;
  readonly store: Pick<LedgerStore, 'hasOriginEnd' | 'lastCheckpointBefore'>;
  /** The first origin of the log. */
  readonly origin: string;
  /** The keys of earlier origins that are not retired. */
  readonly formerSigners: (origin: string) => Promise<readonly Signer[]>;
}

/**
 * The statement that goes with the first checkpoint of an origin: which one it follows, and why. Null for the first origin, and once it is stored. The loss is also
 * an event under the new checkpoint.
 */
export async function endOfOrigin(
  { log, store, origin: first, formerSigners }: EndOfOriginNeeds,
  generation: number,
  signers: readonly Signer[],
): Promise<NewOriginEnd | null> {
  if (generation === 0 || (await store.hasOriginEnd(generation))) return null;
  const declarations: Declaration[] = [];
  for await (const declaration of declarationsIn(log))
    if (generationAfter(first, declaration) === generation) declarations.push(declaration);
  const lastCheckpoint = newestOf(first, declarations) ?? (await store.lastCheckpointBefore(generation));
  const last = lastCheckpoint === null ? null : parseCheckpoint(parseNote(lastCheckpoint)?.text ?? '');
  const origin = originAt(first, generation);
  const text = originEndText({
    format: ORIGIN_END_FORMAT,
    ended: last?.origin ?? originAt(first, generation - 1),
    lastCheckpoint,
    losses: declarations.map(({ from, to, reason, id, n }) => ({ from, to, reason, event: id, n })),
    continuesAs: { origin, keys: signers.map(({ verifierKey }) => verifierKey) },
  });
  return { origin, note: signNote(text, [...(await formerSigners(origin)), ...signers]) };
}

function newestOf(first: string, declarations: readonly Declaration[]): string | null {
  const stated = declarations.flatMap(({ lastCheckpoint: note }) => {
    const checkpoint = note === undefined ? null : parseCheckpoint(parseNote(note)?.text ?? '');
    const generation = checkpoint === null ? null : generationOf(first, checkpoint.origin);
    return note === undefined || checkpoint === null || generation === null ? [] : [{ note, generation, size: checkpoint.size }];
  });
  return stated.toSorted((one, other) => other.generation - one.generation || other.size - one.size)[0]?.note ?? null;
}
