import { HASH_BYTES, nodeHash, rootOfSubtrees } from './merkle-tree.ts';
import { TILE_WIDTH, type TileId } from './tile.ts';

export interface StoredTile extends TileId {
  readonly bytes: Buffer;
}

/** The last tile of each level: all that is needed to grow the tree. */
export function edgeOf(size: number): readonly TileId[] {
  const edge: TileId[] = [];
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    edge.push({ level, index: Math.floor(hashes / TILE_WIDTH) });
  }
  return edge;
}

export class EdgeTooShort extends Error {
  override readonly name = 'EdgeTooShort';
}

interface EdgeTile {
  /** Number of hashes of its level in the whole tree. */
  count: number;
  hashes: Buffer[];
  /** The largest complete subtrees of the hashes so far, from left to right. */
  subtrees: Buffer[];
  isChanged: boolean;
}

/** Grows a Merkle tree leaf by leaf and returns changed tiles. Holds only the right edge: one incomplete tile per level. */
export class TileWriter {
  #size: number;
  readonly #edge: EdgeTile[] = [];
  #finished: StoredTile[] = [];

  /** `edge`: the stored bytes of the tiles in `edgeOf(size)`; they may extend further. */
  constructor(size = 0, edge: readonly Buffer[] = []) {
    this.#size = size;
    for (const [level, bytes] of edge.entries()) {
      const count = Math.floor(size / TILE_WIDTH ** level);
      const hashes = split(bytes, count % TILE_WIDTH);
      const tile: EdgeTile = { count: count - hashes.length, hashes: [], subtrees: [], isChanged: false };
      for (const hash of hashes) push(tile, hash);
      tile.isChanged = false;
      this.#edge.push(tile);
    }
  }

  get size(): number {
    return this.#size;
  }

  append(leaf: Buffer): void {
    this.#add(0, leaf);
    this.#size++;
  }

  root(): Buffer {
    return rootOfSubtrees(this.#edge.flatMap((_, level) => this.#edge[this.#edge.length - 1 - level]?.subtrees ?? []));
  }

  /** The tiles that were filled since the last call. */
  takeFinished(): readonly StoredTile[] {
    const finished = this.#finished;
    this.#finished = [];
    return finished;
  }

  /** The tiles that changed since the last call, whole. */
  takeChanged(): readonly StoredTile[] {
    const changed = [...this.takeFinished()];
    this.#edge.forEach((tile, level) => {
      if (tile.isChanged && tile.hashes.length > 0) {
        changed.push({ level, index: Math.floor(tile.count / TILE_WIDTH), bytes: Buffer.concat(tile.hashes) });
      }
      tile.isChanged = false;
    });
    return changed;
  }

  #add(level: number, hash: Buffer): void {
    const tile = (this.#edge[level] ??= { count: 0, hashes: [], subtrees: [], isChanged: false });
    push(tile, hash);
    if (tile.hashes.length < TILE_WIDTH) return;
    this.#finished.push({ level, index: tile.count / TILE_WIDTH - 1, bytes: Buffer.concat(tile.hashes) });
    const root = rootOfSubtrees(tile.subtrees);
    tile.hashes = [];
    tile.subtrees = [];
    this.#add(level + 1, root);
  }
}

/** Like incrementing a binary number: two subtrees of one height merge into one of the next. */
function push(tile: EdgeTile, hash: Buffer): void {
  let subtree = hash;
  for (let rest = tile.hashes.length; rest % 2 === 1; rest = (rest - 1) / 2) {
    const left = tile.subtrees.pop();
    if (left !== undefined) subtree = nodeHash(left, subtree);
  }
  tile.subtrees.push(subtree);
  tile.hashes.push(hash);
  tile.count++;
  tile.isChanged = true;
}

function split(bytes: Buffer, count: number): Buffer[] {
  if (bytes.length < count * HASH_BYTES) throw new EdgeTooShort('a tile at the edge of the tree is too short');
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}
