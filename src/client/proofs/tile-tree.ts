import { rootOfSubtrees } from './merkle-tree.ts';
import { consistencyRanges, inclusionRanges, subtreesOf, type LeafRange } from './subtrees.ts';
import { placeOf, Tile, tileKey, type TileId, type TilePlace, widthIn } from './tile.ts';
import { edgeOf } from './tile-writer.ts';

/** Returns the stored bytes of each tile in the requested order, empty for a missing one; they may extend beyond the tree in question. */
export type ReadTiles = (tiles: readonly TileId[]) => Promise<readonly Buffer[]>;

export class TileMissing extends Error {
  override readonly name = 'TileMissing';
  constructor(readonly tile: TileId) {
    super(`tile ${tileKey(tile)} is missing or too short`);
  }
}

/** Roots and proofs of a Merkle tree stored as tiles, with a cache of the tiles read last (hand-written: the verifier imports node modules only). */
export class TileTree {
  readonly #cache = new Map<string, Tile>();
  readonly #read: ReadTiles;
  readonly #cacheSize: number;

  constructor(read: ReadTiles, cacheSize = 64) {
    this.#read = read;
    this.#cacheSize = cacheSize;
  }

  async root(size: number): Promise<Buffer> {
    const [root] = await this.#hashes([{ from: 0, to: size }]);
    return root ?? rootOfSubtrees([]);
  }

  async leaf(index: number): Promise<Buffer> {
    const [hash] = await this.#hashes([{ from: index, to: index + 1 }]);
    return hash ?? rootOfSubtrees([]);
  }

  /** What a `TileWriter` grows from: the very tiles that roots are computed from, also while an operator mends them. */
  async edge(size: number): Promise<readonly Buffer[]> {
    const ids = edgeOf(size);
    const tiles = await this.#load(ids.map((tile) => ({ tile, first: 0, count: widthIn(size, tile) })));
    return ids.map((tile) => tiles.get(tileKey(tile))?.bytes ?? Buffer.alloc(0));
  }

  /** The roots of the complete subtrees of a tree of `size`. */
  frontier(size: number): Promise<readonly Buffer[]> {
    return this.#hashes(
      subtreesOf({ from: 0, to: size }).map(({ height, index }) => ({ from: index * 2 ** height, to: (index + 1) * 2 ** height })),
    );
  }

  inclusion(index: number, size: number): Promise<readonly Buffer[]> {
    return this.#hashes(inclusionRanges(index, size));
  }

  consistency(first: number, size: number): Promise<readonly Buffer[]> {
    return this.#hashes(consistencyRanges(first, size));
  }

  /** One inclusion path per index, with all tiles read in one query. */
  async inclusions(indexes: readonly number[], size: number): Promise<readonly (readonly Buffer[])[]> {
    const ranges = indexes.map((index) => inclusionRanges(index, size));
    const hashes = await this.#hashes(ranges.flat());
    let at = 0;
    return ranges.map(({ length }) => hashes.slice(at, (at += length)));
  }

  async #hashes(ranges: readonly LeafRange[]): Promise<readonly Buffer[]> {
    const parts = ranges.map((range) => subtreesOf(range).map(placeOf));
    const tiles = await this.#load(parts.flat());
    // Neighbouring proofs share the incomplete subtrees at the right edge.
    const folded = new Map<string, Buffer>();
    return ranges.map(({ from, to }, at) => {
      const [first, ...rest] = parts[at] ?? [];
      if (first !== undefined && rest.length === 0) return hashIn(tiles, first);
      const key = `${String(from)}-${String(to)}`;
      const hash = folded.get(key) ?? rootOfSubtrees((parts[at] ?? []).map((place) => hashIn(tiles, place)));
      folded.set(key, hash);
      return hash;
    });
  }

  /** The tiles of these places, from the cache where the cached tile is wide enough. */
  async #load(places: readonly TilePlace[]): Promise<ReadonlyMap<string, Tile>> {
    const tiles = new Map<string, Tile>();
    const missing = new Map<string, TileId>();
    for (const { tile, first, count } of places) {
      const key = tileKey(tile);
      const cached = tiles.get(key) ?? this.#cache.get(key);
      if (cached !== undefined && cached.width >= first + count) tiles.set(key, cached);
      else missing.set(key, tile);
    }
    if (missing.size === 0) return tiles;
    const read = await this.#read([...missing.values()]);
    [...missing.keys()].forEach((key, at) => {
      const tile = new Tile(read[at] ?? Buffer.alloc(0));
      tiles.set(key, tile);
      this.#cache.delete(key);
      this.#cache.set(key, tile);
    });
    for (const key of [...this.#cache.keys()].slice(0, Math.max(0, this.#cache.size - this.#cacheSize))) this.#cache.delete(key);
    return tiles;
  }
}

function hashIn(tiles: ReadonlyMap<string, Tile>, place: TilePlace): Buffer {
  const hash = tiles.get(tileKey(place.tile))?.hashOf(place);
  if (hash === undefined) throw new TileMissing(place.tile);
  return hash;
}
