import type { Platform } from './platform.ts';

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
