import { hashFromText } from './hash-text.ts';
import { Climb, nodeHash } from './merkle-tree.ts';

interface Step {
  readonly node: number;
  readonly hash: Buffer;
  /** How many hashes of the path were still to come. */
  readonly remaining: number;
}

/**
 * `verifyInclusion` for many leaves of one tree. Neighbours share most of their way to the root: where a proof meets a node that the
 * proof before it has already led to the root, what remains of its path has to be the same, letter by letter.
 */
export class InclusionChecker {
  readonly #size: number;
  readonly #root: Buffer;
  /** The way of the last good proof, by height. */
  #way: (Step | undefined)[] = [];
  #path: readonly string[] = [];

  constructor(size: number, root: Buffer) {
    this.#size = size;
    this.#root = root;
  }

  check(leaf: Buffer, index: number, path: readonly string[]): boolean {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.#size) return false;
    const way: (Step | undefined)[] = [];
    const climb = new Climb(index, this.#size - 1);
    let hash = leaf;
    for (const [at, text] of path.entries()) {
      const { height, node } = climb;
      const step = { node, hash, remaining: path.length - at };
      way.length = height;
      if (this.#leadsOn(height, step, path)) return this.#keep([...way, ...this.#way.slice(height)], path);
      way[height] = step;
      const sibling = hashFromText(text);
      if (climb.isAtRoot || sibling === undefined) return false;
      hash = climb.siblingIsLeft ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
      climb.up();
    }
    return climb.isAtRoot && hash.equals(this.#root) && this.#keep(way, path);
  }

  #leadsOn(height: number, { node, hash, remaining }: Step, path: readonly string[]): boolean {
    const known = this.#way[height];
    if (known?.node !== node || known.remaining !== remaining || !known.hash.equals(hash)) return false;
    for (let back = 1; back <= remaining; back++) {
      if (path[path.length - back] !== this.#path[this.#path.length - back]) return false;
    }
    return true;
  }

  #keep(way: (Step | undefined)[], path: readonly string[]): true {
    this.#way = way;
    this.#path = path;
    return true;
  }
}
