import type { Platform } from './platform.ts';
import { isSignedBy } from './browser-platform.ts';

interface SignatureLine {
  readonly name: string;
  readonly keyId: string;
  readonly signature: Uint8Array;
}

/** A trusted key, read from its exchange format `text`. */
export interface NoteKey {
  readonly text: string;
  readonly name: string;
  readonly keyId: string;
  readonly publicKey: Uint8Array;
}

const utf8 = new TextEncoder();
const ED25519 = 1;

/** The keys, as `NAME+ID+BASE64`, that signed a note (C2SP signed-note); an invalid signature under one of them voids it. */
export function keysThatSigned(note: string, keys: readonly string[], platform: Platform): readonly string[] {
  const split = note.lastIndexOf('\n\n');
  const message = utf8.encode(note.slice(0, split + 1));
  const lines = linesOf(note.slice(split + 2), platform);
  if (split < 0 || lines === null) return [];
  const signers: string[] = [];
  for (const text of keys) {
    const key = noteKeyOf(text, platform);
    const line = key === null ? undefined : lines.find(({ name, keyId }) => name === key.name && keyId === key.keyId);
    if (key === null || line === undefined) continue;
    if (!isSignedBy(key.publicKey, message, line.signature)) return [];
    signers.push(text);
  }
  return signers;
}

/** Null when a line is not one of a signature in its only spelling. */
export function linesOf(text: string, { fromBase64, toBase64 }: Platform): readonly SignatureLine[] | null {
  const lines: SignatureLine[] = [];
  for (const line of text.slice(0, -1).split('\n')) {
    const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? [];
    const bytes = fromBase64(encoded);
    if (name === '' || bytes.length < 5 || toBase64(bytes) !== encoded) return null;
    lines.push({ name, keyId: hexOf(bytes.subarray(0, 4)), signature: bytes.subarray(4) });
  }
  return text.endsWith('\n') ? lines : null;
}

/** Null where the text is no verifier key, or its hash is not that of its name and key. */
export function noteKeyOf(text: string, { fromBase64, sha256 }: Platform): NoteKey | null {
  const [, name = '', keyId = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/u.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (bytes.length !== 33 || bytes[0] !== ED25519) return null;
  const named = sha256(Uint8Array.from([...utf8.encode(`${name}\n`), ...bytes]));
  return hexOf(named.subarray(0, 4)) === keyId ? { text, name, keyId, publicKey: bytes.subarray(1) } : null;
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
