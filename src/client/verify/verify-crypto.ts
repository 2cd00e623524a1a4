import type { ReceiptCrypto } from '../proofs/receipt/check-receipt.ts';
import { browserPlatform, isSignedBy } from './browser-platform.ts';
import { type NoteKey, noteKeyOf } from './note-signatures.ts';

/** Without Node modules and without Web Crypto, which pages without TLS do not have. */
export const receiptCrypto: ReceiptCrypto<NoteKey> = {
  digestOf: (body) => `sha-256=:${browserPlatform.toBase64(browserPlatform.sha256(body))}:`,
  keyOf: (text) => noteKeyOf(text, browserPlatform),
  isSignedBy: ({ publicKey }, message, signature) => isSignedBy(publicKey, message, signature),
};
