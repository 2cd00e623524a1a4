import type { Finding } from './finding.ts';
import { leafOf, type SealedEvent } from './leaf.ts';
import { leafHash, verifyInclusion } from './merkle-tree.ts';
import { placeOf, tileKey } from './tile.ts';
import { TileTree, type ReadTiles } from './tile-tree.ts';

/** Where event `n` of the log and hash `n` of the tiles contradict each other. */
export interface Contradiction {
  readonly n: number;
  /** What stands at `n` now. */
  readonly event: SealedEvent;
  /** What stands behind it in the log, as far as one wants to look. */
  readonly following: readonly SealedEvent[];
  /** The level 0 tile as the events would have it. */
  readonly recomputed: Buffer;
  readonly readTiles: ReadTiles;
  /** A checkpoint that covers `n`, if there is one; it knows who is right. */
  readonly signed: { readonly size: number; readonly root: Buffer } | null;
}

const hashAt = (event: SealedEvent, n: number): Buffer => leafHash(leafOf({ ...event, n }));

/** Names what was done: the signed root says whether log or tile is right, and looking for the event in other places says how. */
export async function blame(contradiction: Contradiction): Promise<Finding> {
  const { n, event } = contradiction;
  if ((await rightSide(contradiction)) === 'log') {
    const tile = placeOf({ height: 0, index: n }).tile;
    return { kind: 'tile', index: n, message: `tile ${tileKey(tile)} was changed: its hash of event ${String(n)} is not what was signed` };
  }
  const tree = new TileTree(contradiction.readTiles);
  const sealed = await tree.leaf(n);
  const wanted = contradiction.following.find((other) => hashAt(other, n).equals(sealed));
  const isElsewhere = await belongsLater(contradiction, tree);
  if (wanted !== undefined && isElsewhere) {
    return about(wanted, 'moved', `event ${String(n)} (${wanted.id}) was moved to position ${String(wanted.n)}`, n);
  }
  if (wanted !== undefined) return about(event, 'inserted', `event ${String(n)} (${event.id}) was inserted after the log was sealed`, n);
  if (isElsewhere) return { kind: 'removed', index: n, message: `event ${String(n)} was removed, and what followed was moved up` };
  return about(event, 'changed', `event ${String(n)} (${event.id}) was changed after it was sealed`, n);
}

const about = ({ id, stream, revision }: SealedEvent, kind: Finding['kind'], message: string, index: number): Finding => ({
  kind,
  message,
  index,
  event: id,
  stream,
  revision,
});

async function rightSide({ n, event, recomputed, readTiles, signed }: Contradiction): Promise<'log' | 'tiles' | 'unknown'> {
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
  const mended: ReadTiles = async (ids) => {
    const stored = await readTiles(ids);
    return ids.map((id, at) => (tileKey(id) === tileKey(tile) ? over(recomputed, stored[at]) : (stored[at] ?? Buffer.alloc(0))));
  };
  return (await proves(mended, () => Promise.resolve(hashAt(event, n)))) ? 'log' : 'unknown';
}

/** The stored tile may reach further than the log was read. */
const over = (recomputed: Buffer, stored: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([recomputed, stored.subarray(recomputed.length)]);

/** Whether what stands at `n` was sealed at a later position. */
async function belongsLater({ n, event, following, signed }: Contradiction, tree: TileTree): Promise<boolean> {
  const end = Math.min(n + following.length + 1, (signed?.size ?? 0) - 1);
  for (let other = n + 1; other <= end; other++) {
    if (hashAt(event, other).equals(await tree.leaf(other))) return true;
  }
  return false;
}
