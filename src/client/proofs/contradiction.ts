import type { Finding } from './finding.ts';
import { leafOf, type SealedEvent } from './leaf.ts';
import { leafHash, verifyInclusion } from './merkle-tree.ts';
import { placeOf, tileKey } from './tile.ts';
import { TileTree, type ReadTiles } from './tile-tree.ts';

/** Event `n` of the log does not match hash `n` of the tiles. */
export interface Contradiction {
  readonly n: number;
  /** The event at `n` now. */
  readonly event: SealedEvent;
  /** The events behind it, as far as the search window reaches. */
  readonly following: readonly SealedEvent[];
  /** The level 0 tile, recomputed from the events. */
  readonly recomputed: Buffer;
  readonly readTiles: ReadTiles;
  /** The latest checkpoint; if it covers `n`, it decides whether log or tile is right. */
  readonly signed: { readonly size: number; readonly root: Buffer } | null;
}

const hashAt = (event: SealedEvent, n: number): Buffer => leafHash(leafOf({ ...event, n }));

/** Classifies the tampering: the signed root decides whether log or tile is right, a search for the event at other positions shows how. */
export async function explainContradiction(contradiction: Contradiction): Promise<Finding> {
  const { n, event } = contradiction;
  if ((await correctSide(contradiction)) === 'log') {
    const tile = placeOf({ height: 0, index: n }).tile;
    return {
      kind: 'tile',
      index: n,
      message: `tile ${tileKey(tile)} was changed: its hash of event ${String(n)} does not match the signed root`,
    };
  }
  const tree = new TileTree(contradiction.readTiles);
  const sealed = await tree.leaf(n);
  const original = contradiction.following.find((other) => hashAt(other, n).equals(sealed));
  const isElsewhere = await belongsLater(contradiction, tree);
  if (original !== undefined && isElsewhere) {
    return findingAbout(original, 'moved', `event ${String(n)} (${original.id}) was moved to position ${String(original.n)}`, n);
  }
  if (original !== undefined)
    return findingAbout(event, 'inserted', `event ${String(n)} (${event.id}) was inserted after the log was sealed`, n);
  if (isElsewhere) return { kind: 'removed', index: n, message: `event ${String(n)} was removed, and the following events were moved up` };
  return findingAbout(event, 'changed', `event ${String(n)} (${event.id}) was changed after it was sealed`, n);
}

const findingAbout = ({ id, stream, revision }: SealedEvent, kind: Finding['kind'], message: string, index: number): Finding => ({
  kind,
  message,
  index,
  event: id,
  stream,
  revision,
});

async function correctSide({ n, event, recomputed, readTiles, signed }: Contradiction): Promise<'log' | 'tiles' | 'unknown'> {
  if (signed === null || n >= signed.size) return 'unknown';
  const { size, root } = signed;
  const proves = async (read: ReadTiles, leaf: (tree: TileTree) => Promise<Buffer>): Promise<boolean> => {
    const tree = new TileTree(read);
    try {
      return verifyInclusion(await leaf(tree), n, size, await tree.inclusion(n, size), root);
    } catch {
      return false;
    }
  };
  if (await proves(readTiles, (tree) => tree.leaf(n))) return 'tiles';
  const { tile } = placeOf({ height: 0, index: n });
  const repaired: ReadTiles = async (ids) => {
    const stored = await readTiles(ids);
    return ids.map((id, at) => (tileKey(id) === tileKey(tile) ? overlay(recomputed, stored[at]) : (stored[at] ?? Buffer.alloc(0))));
  };
  return (await proves(repaired, () => Promise.resolve(hashAt(event, n)))) ? 'log' : 'unknown';
}

/** Keeps the rest of a stored tile that extends beyond the events read. */
const overlay = (recomputed: Buffer, stored: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([recomputed, stored.subarray(recomputed.length)]);

/** Whether the event at `n` was sealed at a later position. */
async function belongsLater({ n, event, following, signed }: Contradiction, tree: TileTree): Promise<boolean> {
  const end = Math.min(n + following.length + 1, (signed?.size ?? 0) - 1);
  for (let other = n + 1; other <= end; other++) {
    if (hashAt(event, other).equals(await tree.leaf(other))) return true;
  }
  return false;
}
