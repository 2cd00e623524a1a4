import { verify } from 'node:crypto';
import { type SignedNote, type VerifierKey } from './signed-note.ts';

/** A witness has verified that the checkpoint extends every one that it cosigned before (C2SP tlog-cosignature v1). */
export interface Cosignature {
  readonly key: VerifierKey;
  /** When, in seconds since 1970, by the clock of the witness. */
  readonly time: number;
}

/** The signed message: `text` is that of the checkpoint. */
export const cosignedText = (text: string, time: number): string => `cosignature/v1\ntime ${String(time)}\n${text}`;

const STAMP_BYTES = 8;
const SIGNATURE_BYTES = 64;

/** The valid cosignatures of a checkpoint by these witness keys, one for each key. Others, and invalid ones, are ignored. */
export function cosignaturesOf({ text, signatures }: SignedNote, keys: readonly VerifierKey[]): readonly Cosignature[] {
  return keys.flatMap((key) => {
    const times = signatures
      .filter(({ name, keyId }) => name === key.name && keyId === key.keyId)
      .map(({ signature }) => timeOf(text, signature, key))
      .filter((time) => time !== null);
    return times.length === 0 ? [] : [{ key, time: Math.max(...times) }];
  });
}

function timeOf(text: string, signature: Buffer, { key }: VerifierKey): number | null {
  if (signature.length !== STAMP_BYTES + SIGNATURE_BYTES) return null;
  const time = Number(signature.readBigUInt64BE(0));
  if (!Number.isSafeInteger(time)) return null;
  return verify(null, Buffer.from(cosignedText(text, time)), key, signature.subarray(STAMP_BYTES)) ? time : null;
}
