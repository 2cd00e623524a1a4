import { hash } from 'node:crypto';

/**
 * The hash tree of RFC 6962, section 2.1, over SHA-256. A leaf is hashed behind a zero byte, two children behind a one byte, so that
 * neither can be passed off as the other.
 */
export const HASH_BYTES = 32;

export const EMPTY_ROOT = hash('sha256', '', 'buffer');

export const leafHash = (leaf: string | Uint8Array): Buffer =>
  hash('sha256', typeof leaf === 'string' ? `\0${leaf}` : Buffer.concat([Buffer.from([0]), leaf]), 'buffer');

const children = Buffer.alloc(1 + 2 * HASH_BYTES);
children[0] = 1;

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  children.set(left, 1);
  children.set(right, 1 + HASH_BYTES);
  return hash('sha256', children, 'buffer');
}

/** The root over the largest complete subtrees of a tree, from left to right. */
export function rootOfSubtrees(subtrees: readonly Buffer[]): Buffer {
  const last = subtrees.at(-1);
  if (last === undefined) return EMPTY_ROOT;
  return subtrees.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

const half = (value: number): number => Math.floor(value / 2);
const isOdd = (value: number): boolean => value % 2 === 1;

/** Whether the leaf stands at `index` of the tree with this size and root: RFC 9162, section 2.1.3.2. */
export function verifyInclusion(leaf: Buffer, index: number, size: number, path: readonly Buffer[], root: Buffer): boolean {
  if (index < 0 || index >= size) return false;
  let node = index;
  let last = size - 1;
  let result = leaf;
  for (const sibling of path) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      result = nodeHash(sibling, result);
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else {
      result = nodeHash(result, sibling);
    }
    node = half(node);
    last = half(last);
  }
  return last === 0 && result.equals(root);
}

/** Whether the second tree only adds to the first: RFC 9162, section 2.1.4.2. */
export function verifyConsistency(
  first: { readonly size: number; readonly root: Buffer },
  second: { readonly size: number; readonly root: Buffer },
  path: readonly Buffer[],
): boolean {
  if (first.size > second.size) return false;
  if (first.size === second.size) return path.length === 0 && first.root.equals(second.root);
  if (first.size === 0) return path.length === 0 && first.root.equals(EMPTY_ROOT);
  let node = first.size - 1;
  let last = second.size - 1;
  while (isOdd(node)) {
    node = half(node);
    last = half(last);
  }
  // A first tree that is complete is itself the subtree to begin with, and the proof leaves it out.
  const [start, ...rest] = node === 0 ? [first.root, ...path] : path;
  if (start === undefined) return false;
  let older = start;
  let newer = start;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      older = nodeHash(sibling, older);
      newer = nodeHash(sibling, newer);
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else {
      newer = nodeHash(newer, sibling);
    }
    node = half(node);
    last = half(last);
  }
  return last === 0 && older.equals(first.root) && newer.equals(second.root);
}
