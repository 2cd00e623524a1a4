import { explainContradiction } from './contradiction.ts';
import { CheckpointTrail, type SignedCheckpoint } from './checkpoint-trail.ts';
import type { Finding } from './finding.ts';
import { leafOf, type SealedEvent } from './leaf.ts';
import { HASH_BYTES, leafHash } from './merkle-tree.ts';
import type { VerifierKey } from './signed-note.ts';
import { TILE_WIDTH, tileKey } from './tile.ts';
import type { ReadTiles } from './tile-tree.ts';
import { TileWriter, type StoredTile } from './tile-writer.ts';

export interface SealedLog {
  /** The first origin of the log. */
  readonly origin: string;
  /** Number of events in the tiles. */
  readonly size: number;
  /** The log in order, strictly after a position. */
  readonly events: (after: number) => AsyncIterable<readonly SealedEvent[]>;
  readonly readTiles: ReadTiles;
  /** Every checkpoint ever signed and those kept elsewhere, smallest size first. */
  readonly checkpoints: AsyncIterable<SignedCheckpoint>;
  /** The newest checkpoint, which decides whether log or tiles are right where they differ. */
  readonly latest: { readonly size: number; readonly root: Buffer } | null;
  readonly keys: readonly VerifierKey[];
  readonly onProgress?: (events: number) => void;
}

export type LogVerdict =
  | {
      readonly kind: 'intact';
      readonly events: number;
      readonly sealed: number;
      /** Number of events that the largest matching checkpoint covers. */
      readonly signed: number;
      readonly checkpoints: number;
      readonly givenUp: number;
    }
  | { readonly kind: 'tampered'; readonly finding: Finding };

/** How many events behind a contradiction are searched for a moved event. */
const SEARCH_WINDOW = 20_000;

const tampered = (finding: Finding): LogVerdict => ({ kind: 'tampered', finding });

/**
 * Verifies the whole log: each event against its hash in the tiles, each tile against the events under it, and the Merkle root at each size that was ever
 * signed. Memory: one batch of events and the right edge of the tree.
 */
export async function verifyLog(log: SealedLog): Promise<LogVerdict> {
  const tree = new TileWriter();
  const { trail, finding: badTrail } = await CheckpointTrail.open(log);
  if (badTrail !== null) return tampered(badTrail);
  let events = 0;
  for await (const batch of log.events(Number.MIN_SAFE_INTEGER)) {
    for (const event of batch) {
      if (event.n < 0) return tampered(beforeTheFirst(event));
      if (event.n !== events) return tampered((await compareTiles(log, tree.takeChanged())) ?? missing(events));
      events++;
      trail.noteEvent(event);
      if (events > log.size) continue;
      tree.append(leafHash(leafOf(event)));
      if (!trail.isDue(events)) continue;
      const finding = (await compareTiles(log, tree.takeChanged())) ?? (await trail.checkRoot(events, tree.root()));
      if (finding !== null) return tampered(finding);
    }
    const finding = await compareTiles(log, tree.takeFinished());
    if (finding !== null) return tampered(finding);
    log.onProgress?.(events);
  }
  const finding = (await compareTiles(log, tree.takeChanged())) ?? (events < log.size ? missing(events) : await trail.finish());
  if (finding !== null) return tampered(finding);
  const { count, givenUp, covered } = trail;
  return { kind: 'intact', events, sealed: log.size, signed: covered, checkpoints: count, givenUp };
}

const beforeTheFirst = ({ n, id, stream, revision }: SealedEvent): Finding => ({
  kind: 'inserted',
  index: n,
  event: id,
  stream,
  revision,
  message: `event ${String(n)} (${id}) was inserted: the first event of a log is 0`,
});

const missing = (n: number): Finding => ({ kind: 'removed', index: n, message: `event ${String(n)} was removed from the log` });

/** The first tile that differs from the events. A stored tile may extend beyond the events read so far. */
async function compareTiles(log: SealedLog, tiles: readonly StoredTile[]): Promise<Finding | null> {
  if (tiles.length === 0) return null;
  const stored = await log.readTiles(tiles);
  const short = tiles.find(({ bytes }, at) => (stored[at]?.length ?? 0) < bytes.length);
  if (short !== undefined) return { kind: 'tile', message: `tile ${tileKey(short)} was removed or cut` };
  const wrong = tiles.flatMap((tile, at) => {
    const difference = firstDifference(tile.bytes, stored[at] ?? Buffer.alloc(0));
    return difference === null ? [] : [{ tile, difference }];
  });
  // The lowest level tells which event it is.
  const first = wrong.sort((a, b) => a.tile.level - b.tile.level || a.tile.index - b.tile.index)[0];
  if (first === undefined) return null;
  const { tile, difference } = first;
  if (tile.level > 0) return { kind: 'tile', message: `tile ${tileKey(tile)} was changed: it is not the hash of the tiles below` };
  const n = tile.index * TILE_WIDTH + difference;
  const [event, ...following] = await windowFrom(log, n);
  if (event?.n !== n) return missing(n);
  return explainContradiction({ n, event, following, recomputed: tile.bytes, readTiles: log.readTiles, signed: log.latest });
}

function firstDifference(computed: Buffer, stored: Buffer): number | null {
  for (let at = 0; at < computed.length; at += HASH_BYTES) {
    if (computed.compare(stored, at, at + HASH_BYTES, at, at + HASH_BYTES) !== 0) return at / HASH_BYTES;
  }
  return null;
}

async function windowFrom(log: SealedLog, n: number): Promise<readonly SealedEvent[]> {
  const window: SealedEvent[] = [];
  for await (const batch of log.events(n - 1)) {
    window.push(...batch);
    if (window.length >= SEARCH_WINDOW) break;
  }
  return window;
}
