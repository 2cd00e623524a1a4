import { createPublicKey, hash, verify, type KeyObject } from 'node:crypto';
import { strictBase64 } from './merkle-tree.ts';

/** C2SP signed-note: a text, an empty line, and a line for each signature. */
export interface SignedNote {
  /** The signed text, with its last line feed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  readonly keyId: number;
  readonly signature: Buffer;
}

/** A trusted Ed25519 public key. `text` is its exchange format `name+hash+base64`; the algorithm byte in it says what its signatures are over. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: number;
  readonly key: KeyObject;
  readonly text: string;
}

/** The first byte of an encoded key: a signature over the text of a note, or a timestamped cosignature of a witness (C2SP tlog-cosignature). */
export const KEY_TYPES = { signature: 0x01, cosignature: 0x04 } as const;
export type KeyType = keyof typeof KEY_TYPES;

const MAX_SIGNATURES = 64;
// The fixed head of an Ed25519 key in DER (RFC 8410), followed by the 32 bytes of the key.
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

const NAMES: Readonly<Record<KeyType, string>> = { signature: 'verifier key', cosignature: 'witness key' };

export class BadVerifierKey extends Error {
  override readonly name = 'BadVerifierKey';
}

export const isKeyName = (name: string): boolean => name !== '' && !/[\s+\p{Cc}\p{Zs}]/u.test(name);

export const noteKeyId = (name: string, publicKey: Uint8Array, type: KeyType = 'signature'): number =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([KEY_TYPES[type]]), publicKey]), 'buffer').readUInt32BE(0);

export function formatVerifierKey(name: string, publicKey: Uint8Array, type: KeyType = 'signature'): string {
  const id = noteKeyId(name, publicKey, type).toString(16).padStart(8, '0');
  return `${name}+${id}+${Buffer.concat([Buffer.from([KEY_TYPES[type]]), publicKey]).toString('base64')}`;
}

export const parseVerifierKey = (text: string): VerifierKey => parseKey(text, 'signature');
export const parseWitnessKey = (text: string): VerifierKey => parseKey(text, 'cosignature');

function parseKey(text: string, type: KeyType): VerifierKey {
  const parts = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/u.exec(text.trim());
  const [, name = '', id = '', encoded = ''] = parts ?? [];
  const bytes = strictBase64(encoded);
  if (!isKeyName(name) || bytes?.length !== 33 || bytes[0] !== KEY_TYPES[type]) {
    throw new BadVerifierKey(`a ${NAMES[type]} must have the form name+hash+base64 and hold an Ed25519 key for ${type}s`);
  }
  const publicKey = bytes.subarray(1);
  const keyId = noteKeyId(name, publicKey, type);
  if (keyId !== Number.parseInt(id, 16)) throw new BadVerifierKey('the hash in the verifier key does not match its name and key');
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, publicKey]), format: 'der', type: 'spki' });
  return { name, keyId, key, text: formatVerifierKey(name, publicKey, type) };
}

export const formatSignature = ({ name, keyId, signature }: NoteSignature): string => {
  const id = Buffer.alloc(4);
  id.writeUInt32BE(keyId);
  return `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;
};

/** Null when the text is not a note; does not verify signatures. */
export function parseNote(note: string): SignedNote | null {
  // oxlint-disable-next-line no-control-regex -- the format forbids exactly these
  if (/[\u0000-\u0009\u000b-\u001f\p{Cs}]/u.test(note) || !note.endsWith('\n')) return null;
  const split = note.lastIndexOf('\n\n');
  if (split < 0) return null;
  const lines = note.slice(split + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) return null;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const signature = parseSignature(line);
    if (signature === null) return null;
    signatures.push(signature);
  }
  return { text: note.slice(0, split + 1), signatures };
}

function parseSignature(line: string): NoteSignature | null {
  const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? [];
  const bytes = strictBase64(encoded);
  if (!isKeyName(name) || bytes === undefined || bytes.length < 5) return null;
  return { name, keyId: bytes.readUInt32BE(0), signature: bytes.subarray(4) };
}

/** The trusted keys that signed. Signatures by unknown keys are ignored; an invalid one under a known key voids the note. */
export function signersOf(note: SignedNote, keys: readonly VerifierKey[]): readonly VerifierKey[] {
  const signers: VerifierKey[] = [];
  for (const { name, keyId, signature } of note.signatures) {
    const known = keys.find((key) => key.name === name && key.keyId === keyId);
    if (known === undefined) continue;
    if (!verify(null, Buffer.from(note.text), known.key, signature)) return [];
    signers.push(known);
  }
  return signers;
}
