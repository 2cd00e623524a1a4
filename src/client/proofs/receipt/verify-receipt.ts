import { hash, verify } from 'node:crypto';
import { parseVerifierKey, type VerifierKey } from '../signed-note.ts';
import { type CheckedReceipt, checkReceipt, type ReceiptCheck, type ReceiptCrypto } from './check-receipt.ts';

export type Receipt = CheckedReceipt<VerifierKey>;
export type ReceiptVerdict = ReceiptCheck<VerifierKey>;

export const contentDigest = (body: Uint8Array | string): string => `sha-256=:${hash('sha256', body, 'base64')}:`;

const nodeCrypto: ReceiptCrypto<VerifierKey> = {
  digestOf: contentDigest,
  keyOf: (text) => {
    try {
      return parseVerifierKey(text);
    } catch {
      return null;
    }
  },
  isSignedBy: ({ key }, message, signature) => verify(null, message, key, signature),
};

/** Whether one of the keys signed this answer. */
export const verifyReceipt = (text: string, keys: readonly VerifierKey[], now: number): ReceiptVerdict =>
  checkReceipt(text, keys, now, nodeCrypto);
