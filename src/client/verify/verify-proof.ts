import { type Platform, NotVerified } from './platform.ts';
import { bytesOfBase64 } from '../proofs/base64.ts';
import { parseLeaf, type SealedEvent } from '../proofs/leaf.ts';
import { browserPlatform } from './browser-platform.ts';
import { keysThatSigned } from './note-signatures.ts';
import type { Schemas } from '../types.ts';

/** The root that an inclusion path leads to (RFC 9162, section 2.1.3.2); null when the path does not fit the tree. */
export function rootOfPath(
  leaf: string,
  { index, size, path }: { readonly index: number; readonly size: number; readonly path: readonly Uint8Array[] },
  { sha256 }: Pick<Platform, 'sha256'>,
): Uint8Array | null {
  let [node, last, hash] = [index, size - 1, sha256(joined([LEAF, utf8.encode(leaf)]))];
  if (node > last) return null;
  for (const sibling of path) {
    if (last === 0) return null;
    const isRight = node % 2 === 1 || node === last;
    hash = sha256(joined(isRight ? [NODE, sibling, hash] : [NODE, hash, sibling]));
    // A last node without a sibling rises until it is a right child.
    while (isRight && node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : null;
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
const utf8 = new TextEncoder();

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** An event as it is sealed, and the checkpoint that commits to it. */
export interface VerifiedEvent {
  readonly event: SealedEvent;
  readonly origin: string;
  readonly size: number;
  /** A signed note: keep it to prove later what the log was. */
  readonly checkpoint: string;
}

/** The event that the proof proves; throws where no key signed the checkpoint, or the leaf is not in its tree. */
export function verifyProof({ index, size, leaf, path, checkpoint }: Schemas['Proof'], keys: readonly string[]): VerifiedEvent {
  const [origin = '', sizeText = '', rootText = ''] = checkpoint.split('\n');
  const signers = keysThatSigned(checkpoint, keys, browserPlatform);
  if (!signers.some((key) => key.startsWith(`${origin}+`)))
    throw new NotVerified('the checkpoint is not signed by a given key of its origin');
  if (sizeText !== String(size)) throw new NotVerified('the proof is not one to the size of its checkpoint');
  const hashes = path.map(bytesOfBase64).filter((hash) => hash?.length === 32);
  const root = hashes.length === path.length ? rootOfPath(leaf, { index, size, path: hashes as Uint8Array[] }, browserPlatform) : null;
  if (root === null || browserPlatform.toBase64(root) !== rootText)
    throw new NotVerified(`event ${String(index)} is not in the log in this form`);
  const event = parseLeaf(leaf);
  if (event?.n !== index) throw new NotVerified(`the leaf is not event ${String(index)}`);
  return { event, origin, size, checkpoint };
}
