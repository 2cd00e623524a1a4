import { hashes, verify } from '@noble/ed25519';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import type { Platform } from './platform.ts';

hashes.sha512 = sha512;

/**
 * A file on the disk is no secure context in every browser, so Web Crypto may be missing: hashes and signatures are computed by code in the file.
 * `inflate` is the browser's own.
 */
export const browserPlatform: Platform = {
  sha256: (bytes) => sha256(bytes),
  inflate: async (bytes) => {
    const inflated = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(inflated).arrayBuffer());
  },
  fromBase64: (text) => {
    try {
      return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    } catch {
      return new Uint8Array();
    }
  },
  toBase64: (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
};

/** RFC 8032, as OpenSSL verifies it. */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
}
