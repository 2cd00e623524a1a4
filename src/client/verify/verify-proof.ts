import { bytesOfBase64 } from '../proofs/base64.ts';
import { parseLeaf, type SealedEvent } from '../proofs/leaf.ts';
import { browserPlatform } from './browser-platform.ts';
import { keysThatSigned } from './note-signatures.ts';
import { rootOfPath } from './inclusion.ts';
import type { Schemas } from '../types.ts';
import { NotVerified } from './platform.ts';

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
