import { HASH_BYTES, nodeHash } from './merkle-tree.ts';
import type { Subtree } from './subtrees.ts';

/** C2SP tlog-tiles: tile `index` of `level` holds up to 256 hashes of complete subtrees of height 8·level. */
export const TILE_HEIGHT = 8;
export const TILE_WIDTH = 2 ** TILE_HEIGHT;

export interface TileId {
  readonly level: number;
  readonly index: number;
}

export const tileKey = ({ level, index }: TileId): string => `${String(level)}/${String(index)}`;

/** The hashes in one tile from which a subtree's hash is computed: `count` hashes from `first` on. */
export interface TilePlace {
  readonly tile: TileId;
  readonly first: number;
  readonly count: number;
}

export function placeOf({ height, index }: Subtree): TilePlace {
  const level = Math.floor(height / TILE_HEIGHT);
  const count = 2 ** (height - level * TILE_HEIGHT);
  const first = index * count;
  return { tile: { level, index: Math.floor(first / TILE_WIDTH) }, first: first % TILE_WIDTH, count };
}

/** Number of hashes of a tile in a tree of `size`: 0 outside the tree, 256 when full. */
export function widthIn(size: number, { level, index }: TileId): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/** The hashes of one tile and, computed lazily and memoised, the nodes between them and the tile above. */
export class Tile {
  readonly width: number;
  readonly #rows: (Buffer | undefined)[][] = [];

  constructor(readonly bytes: Buffer) {
    this.width = Math.floor(bytes.length / HASH_BYTES);
    this.#rows.push(Array.from({ length: this.width }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)));
  }

  /** Undefined when the tile is too narrow. */
  hashOf({ first, count }: Pick<TilePlace, 'first' | 'count'>): Buffer | undefined {
    return first + count > this.width ? undefined : this.#node(Math.log2(count), first / count);
  }

  #node(height: number, index: number): Buffer | undefined {
    const row = (this.#rows[height] ??= []);
    const known = row[index];
    if (known !== undefined || height === 0) return known;
    const left = this.#node(height - 1, 2 * index);
    const right = this.#node(height - 1, 2 * index + 1);
    return left && right && (row[index] = nodeHash(left, right));
  }
}
