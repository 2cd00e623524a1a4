import { encodingOf } from '../page/charset.ts';

/** Encodings of which each byte is one character. */
const ONE_BYTE = /^(?:windows-|iso-8859-|koi8-|macintosh|x-mac-|x-user-defined|ibm866)/;

/**
 * Where characters of a decoded text begin in its bytes, in any charset and with invalid bytes: the bytes are decoded again, in stretches that cannot
 * reach the next wanted character (no charset makes more characters than it has bytes), and byte by byte before it. `wanted`: indexes, ascending.
 */
export function bytePlaces(body: Uint8Array, charset: string, wanted: readonly number[]): readonly number[] {
  if (ONE_BYTE.test(charset)) return wanted.map((index) => Math.min(index, body.length));
  const decoder = new TextDecoder(encodingOf(charset) ?? 'utf-8');
  let [consumed, produced] = [0, 0];
  const feed = (bytes: number): void => {
    produced += decoder.decode(body.subarray(consumed, consumed + bytes), { stream: true }).length;
    consumed += bytes;
  };
  return wanted.map((index) => {
    for (;;) {
      const missing = index - produced;
      // One byte may end several characters, such as an invalid sequence and the one after it.
      if (missing <= 0) return missing === 0 ? consumed : consumed - 1;
      if (consumed >= body.length) return body.length;
      feed(Math.min(body.length - consumed, missing > MARGIN ? missing - MARGIN : 1));
    }
  });
}

/** Characters that a decoder may hold back. */
const MARGIN = 8;
