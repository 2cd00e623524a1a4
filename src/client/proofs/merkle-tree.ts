import { hash } from 'node:crypto';

/**
 * The Merkle tree of RFC 6962, section 2.1, over SHA-256. Leaves are prefixed with a zero byte and inner nodes with a one byte (domain separation), so
 * that neither can be presented as the other.
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

/** Walks from a leaf up to the root for both proofs: `node` is the index in a row that ends at `last`. */
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

  /** A last node without a sibling rises until it is a right child. */
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

/** Inclusion proof: the leaf is at `index` of the tree with this size and root (RFC 9162, section 2.1.3.2). */
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

/** Consistency proof: the second tree extends the first (RFC 9162, section 2.1.4.2). */
export function verifyConsistency(first: Head, second: Head, path: readonly Buffer[]): boolean {
  if (first.size > second.size) return false;
  if (first.size === second.size) return path.length === 0 && first.root.equals(second.root);
  if (first.size === 0) return path.length === 0 && first.root.equals(EMPTY_ROOT);
  const climb = new Climb(first.size - 1, second.size - 1);
  climb.upWhileRight();
  // A complete first tree is itself the first subtree, which the proof omits.
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

/** Accepts only the canonical base64 of the bytes, so that no character can be altered unnoticed. */
export function strictBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

export function hashFromText(text: string): Buffer | undefined {
  const bytes = strictBase64(text);
  return bytes?.length === HASH_BYTES ? bytes : undefined;
}

export const hashToText = (hash: Buffer): string => hash.toString('base64');
