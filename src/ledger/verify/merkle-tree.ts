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

/** The way from a leaf up to the root, as both proofs go it: `node` of a row whose last one is `last`. */
export class Climb {
  height = 0;

  constructor(
    public node: number,
    private last: number,
  ) {}

  get isAtRoot(): boolean {
    return this.last === 0;
  }

  get siblingIsLeft(): boolean {
    return this.node % 2 === 1 || this.node === this.last;
  }

  /** A last node without a sibling rises until it is somebody's right child. */
  up(): void {
    if (this.siblingIsLeft) while (this.node % 2 === 0 && this.node !== 0) this.#rise();
    this.#rise();
  }

  upWhileRight(): void {
    while (this.node % 2 === 1) this.#rise();
  }

  #rise(): void {
    this.node = Math.floor(this.node / 2);
    this.last = Math.floor(this.last / 2);
    this.height++;
  }
}

/** Whether the leaf stands at `index` of the tree with this size and root: RFC 9162, section 2.1.3.2. */
export function verifyInclusion(leaf: Buffer, index: number, size: number, path: readonly Buffer[], root: Buffer): boolean {
  if (index < 0 || index >= size) return false;
  const climb = new Climb(index, size - 1);
  let result = leaf;
  for (const sibling of path) {
    if (climb.isAtRoot) return false;
    result = climb.siblingIsLeft ? nodeHash(sibling, result) : nodeHash(result, sibling);
    climb.up();
  }
  return climb.isAtRoot && result.equals(root);
}

interface Head {
  readonly size: number;
  readonly root: Buffer;
}

/** Whether the second tree only adds to the first: RFC 9162, section 2.1.4.2. */
export function verifyConsistency(first: Head, second: Head, path: readonly Buffer[]): boolean {
  if (first.size > second.size) return false;
  if (first.size === second.size) return path.length === 0 && first.root.equals(second.root);
  if (first.size === 0) return path.length === 0 && first.root.equals(EMPTY_ROOT);
  const climb = new Climb(first.size - 1, second.size - 1);
  climb.upWhileRight();
  // A first tree that is complete is itself the subtree to begin with, and the proof leaves it out.
  const [start, ...rest] = climb.node === 0 ? [first.root, ...path] : path;
  if (start === undefined) return false;
  let [older, newer] = [start, start];
  for (const sibling of rest) {
    if (climb.isAtRoot) return false;
    if (climb.siblingIsLeft) older = nodeHash(sibling, older);
    newer = climb.siblingIsLeft ? nodeHash(sibling, newer) : nodeHash(newer, sibling);
    climb.up();
  }
  return climb.isAtRoot && older.equals(first.root) && newer.equals(second.root);
}
