import { openCheckpoint, type SealCheckpoint } from '../verify/checkpoint.ts';
import type { VerifierKey } from '../verify/signed-note.ts';

/** A checkpoint that this log signed, as it is known outside the database. */
export interface KnownCheckpoint extends SealCheckpoint {
  readonly note: string;
  /** Number of losses declared before it was signed; null where only the note is known. */
  readonly generation: number | null;
  /** Where it is known from, for messages. */
  readonly source: string;
  /** It is in `ledger_evidence`. */
  readonly isPassedOn?: true;
}

type Unopened = Omit<KnownCheckpoint, keyof SealCheckpoint>;

/** Null unless a key of this log signed it under this origin: a file of another installation, or a witness that lies, proves nothing. */
export function openKnown(unopened: Unopened, origin: string, keys: readonly VerifierKey[]): KnownCheckpoint | null {
  const opened = openCheckpoint(unopened.note, keys);
  return opened.kind === 'open' && opened.checkpoint.origin === origin ? { ...opened.checkpoint, ...unopened } : null;
}

export const isSameTree = (a: Pick<SealCheckpoint, 'size' | 'root'>, b: Pick<SealCheckpoint, 'size' | 'root'>): boolean =>
  a.size === b.size && a.root.equals(b.root);
