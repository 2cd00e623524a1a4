import type pg from 'pg';
import type { Log } from '../../../platform/log/log.ts';
import { leafHashOf } from './tip.ts';
import { TILE_WIDTH } from '../../../client/proofs/tile.ts';
import { HASH_BYTES } from '../../../client/proofs/merkle-tree.ts';
import { TileWriter, type StoredTile } from '../../../client/proofs/tile-writer.ts';
import type { LedgerStore } from '../store/ledger-store.ts';
import { SAVE_TILES } from '../store/seal-writer.ts';

export interface RepairOptions {
  readonly pool: pg.Pool;
  readonly store: LedgerStore;
  readonly log: Pick<Log, 'read'>;
}

export type RepairResult = { readonly kind: 'mended'; readonly tiles: number } | { readonly kind: 'refused'; readonly reason: string };

const PAGE = 2000;
const FULL = TILE_WIDTH * HASH_BYTES;

/** Recomputes damaged tiles from the log, but only if the log matches a signed checkpoint; otherwise the log is at fault and the tiles are the evidence. */
export async function repairTiles({ pool, store, log }: RepairOptions): Promise<RepairResult> {
  const [state, signed] = [await store.state(), await store.currentCheckpoint()];
  if (state === null || signed === null) return { kind: 'refused', reason: 'there is no signed checkpoint to compare the log with' };
  const tree = new TileWriter();
  const damaged: StoredTile[] = [];
  let isSigned = false;
  while (tree.size < state.size) {
    const page = await log.read({ after: tree.size - 1, until: state.size - 1, limit: PAGE });
    if (page.length === 0) return { kind: 'refused', reason: `the log ends at event ${String(tree.size)}, before the last sealed event` };
    for (const event of page) {
      if (event.n !== tree.size) return { kind: 'refused', reason: `event ${String(tree.size)} of the log is missing` };
      tree.append(leafHashOf(event));
      isSigned ||= tree.size === signed.size && tree.root().equals(signed.root);
    }
    damaged.push(...(await differingTiles(store, tree.takeFinished())));
  }
  damaged.push(...(await differingTiles(store, tree.takeChanged())));
  if (!isSigned) return { kind: 'refused', reason: 'the log does not match the signed checkpoint: run `watchledger verify`' };
  return { kind: 'mended', tiles: await save(pool, damaged, state.size) };
}

async function differingTiles(store: LedgerStore, tiles: readonly StoredTile[]): Promise<readonly StoredTile[]> {
  const stored = await store.readTiles(tiles);
  return tiles.filter(({ bytes }, at) => stored[at]?.subarray(0, bytes.length).equals(bytes) !== true);
}

/** Full tiles are immutable. Partial ones are written only while the sealer has not grown the tree, because it rewrites them itself. */
async function save(pool: pg.Pool, tiles: readonly StoredTile[], size: number): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rowCount } = await client.query('SELECT FROM ledger_state WHERE size = $1 FOR UPDATE', [size]);
    const writable = rowCount === 1 ? tiles : tiles.filter(({ bytes }) => bytes.length === FULL);
    await client.query(SAVE_TILES, [
      writable.map(({ level }) => level),
      writable.map(({ index }) => index),
      writable.map(({ bytes }) => bytes),
    ]);
    await client.query('COMMIT');
    return writable.length;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
