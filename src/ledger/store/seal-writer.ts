import type pg from 'pg';
import { inTransaction } from '../../persistence/transaction.ts';
import { TILE_WIDTH } from '../verify/tile.ts';
import { HASH_BYTES } from '../verify/merkle-tree.ts';
import { edgeOf, type StoredTile } from '../verify/tile-writer.ts';

/** The sealer's lease; checked inside each transaction, so that a displaced sealer is fenced out. */
export interface SealingLease {
  /** Aborted when the lease is lost or released. */
  readonly signal: AbortSignal;
  /** Whether the lease is still held; blocks a takeover until the transaction ends. */
  holds(transaction: pg.ClientBase): Promise<boolean>;
}

export class SealerDisplaced extends Error {
  override readonly name = 'SealerDisplaced';
}

export interface NewCheckpoint {
  readonly size: number;
  readonly root: Buffer;
  readonly note: string;
}

/** Parameters: levels, indexes and hashes, as three arrays. */
export const SAVE_TILES = `
  INSERT INTO ledger_tile (level, tile_index, hashes)
  SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bytea[])
  ON CONFLICT (level, tile_index) DO UPDATE SET hashes = excluded.hashes`;

/** The only writer of the seal. Each step names the size it starts from (optimistic concurrency), so two sealers cannot both extend one tree. */
export class SealWriter {
  readonly #pool: pg.Pool;
  readonly #lease: SealingLease;

  constructor(pool: pg.Pool, lease: SealingLease) {
    this.#pool = pool;
    this.#lease = lease;
  }

  /** Saves the changed tiles of a tree that grew from one size to another. */
  async grow(from: number, to: number, tiles: readonly StoredTile[]): Promise<void> {
    await this.#fenced(async (transaction) => {
      await this.#step(transaction, from, to);
      await transaction.query({
        name: 'ledger-grow',
        text: SAVE_TILES,
        values: [tiles.map(({ level }) => level), tiles.map(({ index }) => index), tiles.map(({ bytes }) => bytes)],
      });
    });
  }

  async sign({ size, root, note }: NewCheckpoint): Promise<number> {
    return this.#fenced(async (transaction) => {
      await this.#step(transaction, size, size);
      const { rows } = await transaction.query<{ number: string }>(
        `INSERT INTO ledger_checkpoint (number, generation, size, root, note)
         SELECT coalesce((SELECT max(number) FROM ledger_checkpoint), 0) + 1, generation, $1, $2, $3 FROM ledger_state
         RETURNING number`,
        [size, root, note],
      );
      return Number(rows[0]?.number);
    });
  }

  /** Deletes the tiles from size `to` on, after an operator declared the loss of those events. Checkpoints stay. */
  async cutBack(from: number, to: number): Promise<void> {
    await this.#fenced(async (transaction) => {
      await this.#step(transaction, from, to);
      await transaction.query('UPDATE ledger_state SET generation = generation + 1');
      const edge = edgeOf(to);
      await transaction.query('DELETE FROM ledger_tile WHERE level >= $1', [edge.length]);
      for (const { level, index } of edge) {
        const width = Math.floor(to / TILE_WIDTH ** level) % TILE_WIDTH;
        await transaction.query('DELETE FROM ledger_tile WHERE level = $1 AND tile_index >= $2', [level, width === 0 ? index : index + 1]);
        const bytes = width * HASH_BYTES;
        await transaction.query('UPDATE ledger_tile SET hashes = substring(hashes FOR $3) WHERE level = $1 AND tile_index = $2', [
          level,
          index,
          bytes,
        ]);
      }
    });
  }

  /** Lists a checkpoint whose loss an operator declared, and begins the next generation; the tiles fit the log. */
  async giveUp({ size, root, note }: NewCheckpoint): Promise<void> {
    await this.#fenced(async (transaction) => {
      await transaction.query(
        `INSERT INTO ledger_checkpoint (number, generation, size, root, note)
         SELECT coalesce((SELECT max(number) FROM ledger_checkpoint), 0) + 1, generation, $1, $2, $3 FROM ledger_state`,
        [size, root, note],
      );
      await transaction.query('UPDATE ledger_state SET generation = generation + 1');
      await transaction.query('DELETE FROM ledger_evidence WHERE size = $1 AND root = $2', [size, root]);
    });
  }

  async stop(reason: string): Promise<void> {
    await this.#fenced((transaction) =>
      transaction.query('UPDATE ledger_state SET stopped = $1 WHERE stopped IS DISTINCT FROM $1', [reason]),
    );
  }

  async resume(): Promise<void> {
    await this.#fenced((transaction) => transaction.query('UPDATE ledger_state SET stopped = NULL WHERE stopped IS NOT NULL'));
  }

  async #step(transaction: pg.ClientBase, from: number, to: number): Promise<void> {
    const { rowCount } = await transaction.query('UPDATE ledger_state SET size = $2 WHERE size = $1', [from, to]);
    if (rowCount !== 1) throw new SealerDisplaced(`the ledger no longer has ${String(from)} events`);
  }

  #fenced<T>(work: (transaction: pg.ClientBase) => Promise<T>): Promise<T> {
    return inTransaction(this.#pool, async (client) => {
      if (!(await this.#lease.holds(client))) throw new SealerDisplaced('the sealer lost its lease');
      return work(client);
    });
  }
}
