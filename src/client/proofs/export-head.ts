import { openCheckpoint, type SealCheckpoint } from './checkpoint.ts';
import { type ExportHead, parseExportHead, textToSign } from './export-format.ts';
import { parseNote, signersOf, type VerifierKey } from './signed-note.ts';

const ED25519_BYTES = 64;

export type OpenedHead =
  | { readonly kind: 'open'; readonly head: ExportHead; readonly checkpoint: SealCheckpoint; readonly key: VerifierKey }
  | { readonly kind: 'bad'; readonly reason: string };

const bad = (reason: string): OpenedHead => ({ kind: 'bad', reason });

export function openHead(line: string, keys: readonly VerifierKey[]): OpenedHead {
  const signed = parseExportHead(line);
  if (typeof signed === 'string') return bad(signed);
  const { signature, ...head } = signed;
  const note = parseNote(`${textToSign(head)}\n${signature}`);
  const key = note === null ? null : (signersOf(note, keys)[0] ?? null);
  if (note === null || key === null) return bad('the head was changed or signed by an unknown key');
  // The signatures are the only text that the signature does not cover.
  if (note.signatures.some(({ name, signature: bytes }) => name !== key.name || bytes.length !== ED25519_BYTES)) {
    return bad('the head carries a signature of another origin');
  }
  const opened = openCheckpoint(head.checkpoint, keys);
  if (opened.kind !== 'open') return bad('the checkpoint in the head was not signed by this key');
  if (head.span.until >= opened.checkpoint.size) return bad('the head reaches beyond its checkpoint');
  return { kind: 'open', head, checkpoint: opened.checkpoint, key };
}
