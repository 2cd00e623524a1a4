import { hashFromText } from './merkle-tree.ts';
import { Climb, nodeHash } from './merkle-tree.ts';

interface Step {
  readonly node: number;
  readonly hash: Buffer;
  /** Number of path hashes above this node. */
  readonly remaining: number;
}

/**
 * `verifyInclusion` for many leaves of one tree. Neighbouring leaves share most of their path: where a proof reaches a node that the previous proof has
 * already verified, only the rest of the path is compared.
 */
export class InclusionChecker {
  readonly #size: number;
  readonly #root: Buffer;
  /** The nodes of the last valid proof, by height. */
  #verified: (Step | undefined)[] = [];
  #path: readonly string[] = [];

  constructor(size: number, root: Buffer) {
    this.#size = size;
    this.#root = root;
  }

  check(leaf: Buffer, index: number, path: readonly string[]): boolean {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.#size) return false;
    const nodes: (Step | undefined)[] = [];
    const climb = new Climb(index, this.#size - 1);
    let hash = leaf;
    for (const [at, text] of path.entries()) {
      const { height, node } = climb;
      const step = { node, hash, remaining: path.length - at };
      nodes.length = height;
      if (this.#isVerified(height, step, path)) return this.#remember([...nodes, ...this.#verified.slice(height)], path);
      nodes[height] = step;
      const sibling = hashFromText(text);
      if (climb.isAtRoot || sibling === undefined) return false;
      hash = climb.siblingIsLeft ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
      climb.up();
    }
    return climb.isAtRoot && hash.equals(this.#root) && this.#remember(nodes, path);
  }

  #isVerified(height: number, { node, hash, remaining }: Step, path: readonly string[]): boolean {
    const known = this.#verified[height];
    if (known?.node !== node || known.remaining !== remaining || !known.hash.equals(hash)) return false;
    for (let back = 1; back <= remaining; back++) {
      if (path[path.length - back] !== this.#path[this.#path.length - back]) return false;
    }
    return true;
  }

  #remember(nodes: (Step | undefined)[], path: readonly string[]): true {
    this.#verified = nodes;
    this.#path = path;
    return true;
  }
}
