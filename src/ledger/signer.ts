import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { formatCheckpoint, type Checkpoint } from './verify/checkpoint.ts';
import { formatSignature, formatVerifierKey, isKeyName, noteKeyId } from './verify/signed-note.ts';

/** Signs in the name of this installation. The name is the origin of its checkpoints. */
export interface Signer {
  readonly name: string;
  /** What a verifier needs: `name+hash+base64`. */
  readonly verifierKey: string;
  /** The signature line of a C2SP note over the text. */
  signatureLine(text: string): string;
}

// The fixed head of an Ed25519 private key in DER (RFC 8410), to which the 32 bytes of the seed are added.
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

export function createSigner(name: string, seed: Uint8Array): Signer {
  if (!isKeyName(name)) throw new RangeError(`"${name}" cannot name a key: no spaces, no plus`);
  if (seed.length !== 32) throw new RangeError('the seed of an Ed25519 key has 32 bytes');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = rawPublicKey(key);
  const keyId = noteKeyId(name, publicKey);
  return {
    name,
    verifierKey: formatVerifierKey(name, publicKey),
    signatureLine: (text) => formatSignature({ name, keyId, signature: sign(null, Buffer.from(text), key) }),
  };
}

const rawPublicKey = (key: KeyObject): Buffer => createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);

/** A note carries a signature of each key that is in use, so that whoever trusts either one can read it while a key is being replaced. */
export const signNote = (text: string, signers: readonly Signer[]): string =>
  `${text}\n${signers.map((signer) => signer.signatureLine(text)).join('')}`;

export const signCheckpoint = (checkpoint: Checkpoint, signers: readonly Signer[]): string =>
  signNote(formatCheckpoint(checkpoint), signers);
