import { HASH_BYTES } from './merkle-tree.ts';

/** Base64 has several spellings of the same bytes; only the one that an encoder writes is taken, so that no character can be changed unseen. */
export function strictBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

export function hashFromText(text: string): Buffer | undefined {
  const bytes = strictBase64(text);
  return bytes?.length === HASH_BYTES ? bytes : undefined;
}

export const hashToText = (hash: Buffer): string => hash.toString('base64');
