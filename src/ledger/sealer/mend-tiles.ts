import type pg from 'pg';
import type { Log } from '../../log/log.ts';
import { hashOf } from './tip.ts';
import { TILE_WIDTH } from '../verify/tile.ts';
import { HASH_BYTES } from '../verify/merkle-tree.ts';
import { TileWriter, type StoredTile } from '../verify/tile-writer.ts';
import type { LedgerStore } from '../store/ledger-store.ts';
import { SAVE_TILES } from '../store/seal-writer.ts';

export interface MendNeeds {
  readonly pool: pg.Pool;
  readonly store: LedgerStore;
  readonly log: Pick<Log, 'read'>;
}

export type Mended = { readonly kind: 'mended'; readonly tiles: number } | { readonly kind: 'refused'; readonly reason: string };

const PAGE = 2000;
const FULL = TILE_WIDTH * HASH_BYTES;

/** Makes damaged tiles again from the log, but only if the log is what was signed: otherwise it is the log that is wrong, and the tiles that know. */
export async function mendTiles({ pool, store, log }: MendNeeds): Promise<Mended> {
  const [state, signed] = [await store.state(), await store.latestCheckpoint()];
  if (state === null || signed?.generation !== state.generation)
    return { kind: 'refused', reason: 'there is no signed checkpoint to hold the log against' };
  const tree = new TileWriter();
  const wrong: StoredTile[] = [];
  let isSigned = false;
  while (tree.size < state.size) {
    const page = await log.read({ after: tree.size - 1, until: state.size - 1, limit: PAGE });
    if (page.length === 0) return { kind: 'refused', reason: `the log ends at ${String(tree.size)}, before what was sealed` };
    for (const event of page) {
      if (event.n !== tree.size) return { kind: 'refused', reason: `event ${String(tree.size)} of the log is missing` };
      tree.append(hashOf(event));
      isSigned ||= tree.size === signed.size && tree.root().equals(signed.root);
    }
    wrong.push(...(await different(store, tree.takeFinished())));
  }
  wrong.push(...(await different(store, tree.takeChanged())));
  if (!isSigned) return { kind: 'refused', reason: 'the log is not what was signed: look with `watchledger verify`' };
  return { kind: 'mended', tiles: await save(pool, wrong, state.size) };
}

async function different(store: LedgerStore, tiles: readonly StoredTile[]): Promise<readonly StoredTile[]> {
  const stored = await store.readTiles(tiles);
  return tiles.filter(({ bytes }, at) => stored[at]?.subarray(0, bytes.length).equals(bytes) !== true);
}

/** Full tiles never change any more. The others belong to the sealer as soon as it has gone on, and it writes them whole. */
async function save(pool: pg.Pool, tiles: readonly StoredTile[], size: number): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rowCount } = await client.query('SELECT FROM ledger_state WHERE size = $1 FOR UPDATE', [size]);
    const mine = rowCount === 1 ? tiles : tiles.filter(({ bytes }) => bytes.length === FULL);
    await client.query(SAVE_TILES, [mine.map(({ level }) => level), mine.map(({ index }) => index), mine.map(({ bytes }) => bytes)]);
    await client.query('COMMIT');
    return mine.length;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
