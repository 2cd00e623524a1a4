import { createPrivateKey, createPublicKey, hkdfSync, sign, type KeyObject } from 'node:crypto';
import { formatCheckpoint, type SealCheckpoint } from '../../client/proofs/checkpoint.ts';
import { cosignedText } from '../../client/proofs/cosignature.ts';
import { formatSignature, formatVerifierKey, isKeyName, noteKeyId } from '../../client/proofs/signed-note.ts';

/** Signs for this installation, under the origin of its checkpoints. */
export interface Signer {
  readonly name: string;
  /** The public key as `name+hash+base64`. */
  readonly verifierKey: string;
  /** The signature line of a C2SP note over the text. */
  signatureLine(text: string): string;
  /** Over the base of an HTTP message signature (RFC 9421). */
  messageSignature(base: string): Buffer;
}

// The fixed head of an Ed25519 private key in DER (RFC 8410), to which the 32 bytes of the seed are added.
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

function privateKeyOf(name: string, seed: Uint8Array): KeyObject {
  if (!isKeyName(name)) throw new RangeError(`"${name}" is not a valid key name: it must not contain spaces or "+"`);
  if (seed.length !== 32) throw new RangeError('the seed of an Ed25519 key must have 32 bytes');
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
}

export function createSigner(name: string, seed: Uint8Array): Signer {
  const key = privateKeyOf(name, seed);
  const publicKey = rawPublicKey(key);
  const keyId = noteKeyId(name, publicKey);
  return {
    name,
    verifierKey: formatVerifierKey(name, publicKey),
    signatureLine: (text) => formatSignature({ name, keyId, signature: sign(null, Buffer.from(text), key) }),
    messageSignature: (base) => {
      // Domain separation: the text of every note ends with a line feed, which no base does.
      if (base.endsWith('\n')) throw new RangeError('the base of a message signature must not end with a line feed');
      return sign(null, Buffer.from(base), key);
    },
  };
}

/** `SEAL_KEY` itself signs the first origin; the keys of later ones are derived from it. */
export const signerOfSeed = (first: string, origin: string, seed: Uint8Array): Signer =>
  createSigner(origin, origin === first ? seed : Buffer.from(hkdfSync('sha256', seed, '', `watchledger seal ${origin}`, 32)));

/** Cosigns checkpoints of other logs. */
export interface Cosigner {
  readonly name: string;
  readonly verifierKey: string;
  /** The signature line of a cosignature over the text of a checkpoint; `time` in seconds since 1970. */
  cosignatureLine(text: string, time: number): string;
}

export function createCosigner(name: string, seed: Uint8Array): Cosigner {
  const key = privateKeyOf(name, seed);
  const publicKey = rawPublicKey(key);
  const keyId = noteKeyId(name, publicKey, 'cosignature');
  return {
    name,
    verifierKey: formatVerifierKey(name, publicKey, 'cosignature'),
    cosignatureLine: (text, time) => {
      const stamp = Buffer.alloc(8);
      stamp.writeBigUInt64BE(BigInt(time));
      return formatSignature({ name, keyId, signature: Buffer.concat([stamp, sign(null, Buffer.from(cosignedText(text, time)), key)]) });
    },
  };
}

const rawPublicKey = (key: KeyObject): Buffer => createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);

/** Signs with every active key, so that verifiers of the old and of the new key accept the note during a rotation. */
export const signNote = (text: string, signers: readonly Signer[]): string =>
  `${text}\n${signers.map((signer) => signer.signatureLine(text)).join('')}`;

export const signCheckpoint = (checkpoint: SealCheckpoint, signers: readonly Signer[]): string =>
  signNote(formatCheckpoint(checkpoint), signers);
