import type pg from 'pg';
import { inTransaction } from '../../persistence/transaction.ts';
import { TILE_WIDTH } from '../verify/tile.ts';
import { HASH_BYTES } from '../verify/merkle-tree.ts';
import { edgeOf, type StoredTile } from '../verify/tile-writer.ts';

/** Whoever seals holds a lease. It is asked for inside each transaction, so that a sealer that was taken over writes nothing any more. */
export interface SealingLease {
  /** Aborted when the lease is lost or given back. */
  readonly signal: AbortSignal;
  /** Whether the lease is still held; keeps it from being taken over until the transaction ends. */
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

/** Levels, indexes and hashes, as three arrays. */
export const SAVE_TILES = `
  INSERT INTO ledger_tile (level, tile_index, hashes)
  SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bytea[])
  ON CONFLICT (level, tile_index) DO UPDATE SET hashes = excluded.hashes`;

/** The only way to write what is sealed. Every step names where it begins, so two sealers cannot both have gone on from one place. */
export class SealWriter {
  readonly #pool: pg.Pool;
  readonly #lease: SealingLease;

  constructor(pool: pg.Pool, lease: SealingLease) {
    this.#pool = pool;
    this.#lease = lease;
  }

  /** The tiles of a tree that grew from one size to another. */
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

  /** Forgets the tiles of everything from `to` on, because an operator declared that the log lost it. Checkpoints stay. */
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

  async stop(reason: string): Promise<void> {
    await this.#fenced((transaction) =>
      transaction.query('UPDATE ledger_state SET stopped = $1 WHERE stopped IS DISTINCT FROM $1', [reason]),
    );
  }

  async #step(transaction: pg.ClientBase, from: number, to: number): Promise<void> {
    const { rowCount } = await transaction.query('UPDATE ledger_state SET size = $2, stopped = NULL WHERE size = $1', [from, to]);
    if (rowCount !== 1) throw new SealerDisplaced(`the ledger is no longer at ${String(from)}`);
  }

  #fenced<T>(work: (transaction: pg.ClientBase) => Promise<T>): Promise<T> {
    return inTransaction(this.#pool, async (client) => {
      if (!(await this.#lease.holds(client))) throw new SealerDisplaced('the lease on sealing was lost');
      return work(client);
    });
  }
}
