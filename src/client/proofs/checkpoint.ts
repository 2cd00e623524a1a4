import { hashFromText, hashToText } from './merkle-tree.ts';
import { parseNote, signersOf, type VerifierKey } from './signed-note.ts';

/** C2SP tlog-checkpoint: origin, size and Merkle root that the log commits to. */
export interface SealCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

export const formatCheckpoint = ({ origin, size, root }: SealCheckpoint): string => `${origin}\n${String(size)}\n${hashToText(root)}\n`;

/** Null when the text is not a checkpoint. The format allows further lines, which are ignored. */
export function parseCheckpoint(text: string): SealCheckpoint | null {
  const [origin = '', sizeText = '', rootText = '', ...rest] = text.slice(0, -1).split('\n');
  const root = hashFromText(rootText);
  const size = Number(sizeText);
  if (origin === '' || !/^(0|[1-9]\d*)$/.test(sizeText) || !Number.isSafeInteger(size) || root === undefined) return null;
  return rest.includes('') ? null : { origin, size, root };
}

export type OpenedCheckpoint =
  | {
      readonly kind: 'open';
      readonly checkpoint: SealCheckpoint;
      readonly key: VerifierKey;
      /** All trusted keys that signed, `key` first. */
      readonly signers: readonly VerifierKey[];
    }
  | { readonly kind: 'malformed' | 'unsigned' };

/** Opens a checkpoint only if a trusted key whose name is its origin signed it. */
export function openCheckpoint(note: string, keys: readonly VerifierKey[]): OpenedCheckpoint {
  const parsed = parseNote(note);
  const checkpoint = parsed === null ? null : parseCheckpoint(parsed.text);
  if (parsed === null || checkpoint === null) return { kind: 'malformed' };
  const signers = signersOf(parsed, keys);
  const [key] = signers;
  return key?.name === checkpoint.origin ? { kind: 'open', checkpoint, key, signers } : { kind: 'unsigned' };
}
