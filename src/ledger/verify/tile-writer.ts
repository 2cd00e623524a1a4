import { HASH_BYTES, rootOfSubtrees } from './merkle-tree.ts';
import { subtreesOf } from './subtrees.ts';
import { Tile, TILE_WIDTH, type TileId } from './tile.ts';

export interface StoredTile extends TileId {
  readonly bytes: Buffer;
}

/** The last tile of each level of a tree, as far as it has any: what is needed to let the tree grow. */
export function edgeOf(size: number): readonly TileId[] {
  const edge: TileId[] = [];
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    edge.push({ level, index: Math.floor(hashes / TILE_WIDTH) });
  }
  return edge;
}

interface EdgeTile {
  /** How many hashes its level has in the whole tree. */
  count: number;
  hashes: Buffer[];
  changed: boolean;
}

/** Grows a tree leaf by leaf and hands out the tiles that changed. Holds only the right edge: one unfinished tile a level. */
export class TileWriter {
  #size: number;
  readonly #edge: EdgeTile[];
  #finished: StoredTile[] = [];

  /** `edge`: the stored bytes of the tiles that `edgeOf(size)` names; they may reach further. */
  constructor(size = 0, edge: readonly Buffer[] = []) {
    this.#size = size;
    this.#edge = edge.map((bytes, level) => {
      const count = Math.floor(size / TILE_WIDTH ** level);
      return { count, hashes: split(bytes, count % TILE_WIDTH), changed: false };
    });
  }

  get size(): number {
    return this.#size;
  }

  append(leaf: Buffer): void {
    this.#add(0, leaf);
    this.#size++;
  }

  root(): Buffer {
    const subtrees = this.#edge.map(({ hashes }) => {
      const tile = new Tile(Buffer.concat(hashes));
      return subtreesOf({ from: 0, to: hashes.length }).map(({ height, index }) =>
        known(tile.hashOf({ first: index * 2 ** height, count: 2 ** height })),
      );
    });
    return rootOfSubtrees(subtrees.reverse().flat());
  }

  /** The tiles that changed since the last call, whole. */
  takeChanged(): readonly StoredTile[] {
    const changed = this.#finished;
    this.#finished = [];
    this.#edge.forEach((tile, level) => {
      if (tile.changed && tile.hashes.length > 0)
        changed.push({ level, index: Math.floor(tile.count / TILE_WIDTH), bytes: Buffer.concat(tile.hashes) });
      tile.changed = false;
    });
    return changed;
  }

  #add(level: number, hash: Buffer): void {
    const tile = (this.#edge[level] ??= { count: 0, hashes: [], changed: false });
    tile.hashes.push(hash);
    tile.count++;
    tile.changed = true;
    if (tile.hashes.length < TILE_WIDTH) return;
    const bytes = Buffer.concat(tile.hashes);
    this.#finished.push({ level, index: tile.count / TILE_WIDTH - 1, bytes });
    tile.hashes = [];
    this.#add(level + 1, known(new Tile(bytes).hashOf({ first: 0, count: TILE_WIDTH })));
  }
}

function split(bytes: Buffer, count: number): Buffer[] {
  if (bytes.length < count * HASH_BYTES) throw new RangeError('a tile at the edge of the tree is too short');
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}

function known(hash: Buffer | undefined): Buffer {
  if (hash === undefined) throw new RangeError('a tile is narrower than its own hashes');
  return hash;
}
