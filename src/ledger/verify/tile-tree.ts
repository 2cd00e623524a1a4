import { rootOfSubtrees } from './merkle-tree.ts';
import { consistencySpans, inclusionSpans, subtreesOf, type Span } from './subtrees.ts';
import { placeOf, Tile, tileKey, type TileId, type TilePlace } from './tile.ts';

/** The stored bytes of each tile, in the order asked for; empty where there is none. They may reach further than the tree that is asked about. */
export type ReadTiles = (tiles: readonly TileId[]) => Promise<readonly Buffer[]>;

export class TileMissing extends Error {
  override readonly name = 'TileMissing';
  constructor(readonly tile: TileId) {
    super(`tile ${tileKey(tile)} is missing or too short`);
  }
}

/** Roots and proofs of a tree that is stored as tiles. Keeps the tiles that it read last. */
export class TileTree {
  readonly #kept = new Map<string, Tile>();
  readonly #read: ReadTiles;
  readonly #keep: number;

  constructor(read: ReadTiles, keep = 64) {
    this.#read = read;
    this.#keep = keep;
  }

  async root(size: number): Promise<Buffer> {
    const [root] = await this.#hashes([{ from: 0, to: size }]);
    return root ?? rootOfSubtrees([]);
  }

  async leaf(index: number): Promise<Buffer> {
    const [hash] = await this.#hashes([{ from: index, to: index + 1 }]);
    return hash ?? rootOfSubtrees([]);
  }

  /** The complete subtrees that a tree of `size` consists of. */
  frontier(size: number): Promise<readonly Buffer[]> {
    return this.#hashes(
      subtreesOf({ from: 0, to: size }).map(({ height, index }) => ({ from: index * 2 ** height, to: (index + 1) * 2 ** height })),
    );
  }

  inclusion(index: number, size: number): Promise<readonly Buffer[]> {
    return this.#hashes(inclusionSpans(index, size));
  }

  consistency(first: number, size: number): Promise<readonly Buffer[]> {
    return this.#hashes(consistencySpans(first, size));
  }

  /** One path for each index, with the tiles of all of them fetched at once. */
  async inclusions(indexes: readonly number[], size: number): Promise<readonly (readonly Buffer[])[]> {
    const spans = indexes.map((index) => inclusionSpans(index, size));
    const hashes = await this.#hashes(spans.flat());
    let at = 0;
    return spans.map(({ length }) => hashes.slice(at, (at += length)));
  }

  async #hashes(spans: readonly Span[]): Promise<readonly Buffer[]> {
    const parts = spans.map((span) => subtreesOf(span).map(placeOf));
    const tiles = await this.#load(parts.flat());
    // Neighbouring proofs end in the same unfinished subtrees at the right edge.
    const folded = new Map<string, Buffer>();
    return spans.map(({ from, to }, at) => {
      const [first, ...rest] = parts[at] ?? [];
      if (first !== undefined && rest.length === 0) return hashIn(tiles, first);
      const key = `${String(from)}-${String(to)}`;
      const hash = folded.get(key) ?? rootOfSubtrees((parts[at] ?? []).map((place) => hashIn(tiles, place)));
      folded.set(key, hash);
      return hash;
    });
  }

  /** The tiles of these places, from what was kept where that is wide enough. */
  async #load(places: readonly TilePlace[]): Promise<ReadonlyMap<string, Tile>> {
    const tiles = new Map<string, Tile>();
    const missing = new Map<string, TileId>();
    for (const { tile, first, count } of places) {
      const key = tileKey(tile);
      const kept = tiles.get(key) ?? this.#kept.get(key);
      if (kept !== undefined && kept.width >= first + count) tiles.set(key, kept);
      else missing.set(key, tile);
    }
    if (missing.size === 0) return tiles;
    const read = await this.#read([...missing.values()]);
    [...missing.keys()].forEach((key, at) => {
      const tile = new Tile(read[at] ?? Buffer.alloc(0));
      tiles.set(key, tile);
      this.#kept.delete(key);
      this.#kept.set(key, tile);
    });
    for (const key of [...this.#kept.keys()].slice(0, Math.max(0, this.#kept.size - this.#keep))) this.#kept.delete(key);
    return tiles;
  }
}

function hashIn(tiles: ReadonlyMap<string, Tile>, place: TilePlace): Buffer {
  const hash = tiles.get(tileKey(place.tile))?.hashOf(place);
  if (hash === undefined) throw new TileMissing(place.tile);
  return hash;
}
