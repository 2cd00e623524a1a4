import { openCheckpoint, type SealCheckpoint } from '../../../client/proofs/checkpoint.ts';
import { generationOf } from '../../../client/proofs/origin.ts';
import type { VerifierKey } from '../../../client/proofs/signed-note.ts';

/** A checkpoint that this log signed, as it is known outside the database. */
export interface KnownCheckpoint extends SealCheckpoint {
  readonly note: string;
  /** Number of losses declared before it was signed, as its origin states. */
  readonly generation: number;
  /** The place it is known from, for messages. */
  readonly source: string;
  /** True when it is in `ledger_evidence`. */
  readonly isPassedOn?: true;
}

type Unopened = Omit<KnownCheckpoint, keyof SealCheckpoint | 'generation'>;

/** Null unless a key of this log signed it under an origin of this log: a file of another installation, or a witness that lies, proves nothing. */
export function openKnown(unopened: Unopened, first: string, keys: readonly VerifierKey[]): KnownCheckpoint | null {
  const opened = openCheckpoint(unopened.note, keys);
  const generation = opened.kind === 'open' ? generationOf(first, opened.checkpoint.origin) : null;
  return opened.kind === 'open' && generation !== null ? { ...opened.checkpoint, ...unopened, generation } : null;
}

export const isSameTree = (a: Pick<SealCheckpoint, 'size' | 'root'>, b: Pick<SealCheckpoint, 'size' | 'root'>): boolean =>
  a.size === b.size && a.root.equals(b.root);
