import type pg from 'pg';
import { inTransaction } from '../../../platform/postgres/transaction.ts';
import { TILE_WIDTH } from '../../../client/proofs/tile.ts';
import { HASH_BYTES } from '../../../client/proofs/merkle-tree.ts';
import { edgeOf, type StoredTile } from '../../../client/proofs/tile-writer.ts';

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
  /** Number of losses declared before. */
  readonly generation: number;
}

/** A declared loss, after which the log continues under another origin. */
export interface OriginBreak {
  readonly generation: number;
  /** Checkpoints of earlier origins, as the declaration states them. */
  readonly lost: readonly NewCheckpoint[];
}

/** The signed statement that an origin ended and which one follows (verify/origin-end.ts). */
export interface NewOriginEnd {
  /** The origin that follows; keys of others sign no longer. */
  readonly origin: string;
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

  /** Saves the changed tiles of a tree that grew from one size to another, over declarations of a loss, too. */
  async grow(from: number, to: number, tiles: readonly StoredTile[], breaks: readonly OriginBreak[] = []): Promise<void> {
    await this.#fenced(async (transaction) => {
      await this.#step(transaction, from, to);
      for (const { generation, lost } of breaks) {
        await this.#begin(transaction, generation);
        for (const checkpoint of lost) await this.#list(transaction, checkpoint);
      }
      await transaction.query({
        name: 'ledger-grow',
        text: SAVE_TILES,
        values: [tiles.map(({ level }) => level), tiles.map(({ index }) => index), tiles.map(({ bytes }) => bytes)],
      });
    });
  }

  /** `ended`: with the first checkpoint of another origin. */
  async sign({ size, root, note, generation }: NewCheckpoint, ended: NewOriginEnd | null = null): Promise<void> {
    await this.#fenced(async (transaction) => {
      await this.#step(transaction, size, size, generation);
      await transaction.query(
        `INSERT INTO ledger_checkpoint (number, generation, size, root, note)
         SELECT coalesce((SELECT max(number) FROM ledger_checkpoint), 0) + 1, $1, $2, $3, $4`,
        [generation, size, root, note],
      );
      if (ended === null) return;
      await transaction.query('INSERT INTO ledger_origin_end (generation, note) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        generation,
        ended.note,
      ]);
      await transaction.query(
        `UPDATE ledger_key SET retired_at = clock_timestamp() WHERE retired_at IS NULL AND NOT starts_with(verifier_key, $1 || '+')`,
        [ended.origin],
      );
    });
  }

  /** Deletes the tiles from size `to` on, after an operator declared the loss of those events. Checkpoints stay. */
  async cutBack(from: number, to: number, generation: number): Promise<void> {
    await this.#fenced(async (transaction) => {
      await this.#step(transaction, from, to);
      await this.#begin(transaction, generation);
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

  async resume(): Promise<void> {
    await this.#fenced((transaction) => transaction.query('UPDATE ledger_state SET stopped = NULL WHERE stopped IS NOT NULL'));
  }

  /** `generation`: only while the same origin signs. */
  async #step(transaction: pg.ClientBase, from: number, to: number, generation: number | null = null): Promise<void> {
    const { rowCount } = await transaction.query(
      'UPDATE ledger_state SET size = $2 WHERE size = $1 AND generation = coalesce($3, generation)',
      [from, to, generation],
    );
    if (rowCount !== 1) throw new SealerDisplaced(`the ledger no longer has ${String(from)} events, or another origin`);
  }

  async #begin(transaction: pg.ClientBase, generation: number): Promise<void> {
    await transaction.query('UPDATE ledger_state SET generation = $1 WHERE generation < $1', [generation]);
  }

  /** A checkpoint that the database itself had lost stands with the others again. */
  async #list(transaction: pg.ClientBase, { size, root, note, generation }: NewCheckpoint): Promise<void> {
    await transaction.query(
      `INSERT INTO ledger_checkpoint (number, generation, size, root, note)
       SELECT coalesce((SELECT max(number) FROM ledger_checkpoint), 0) + 1, $1, $2, $3, $4
       WHERE NOT EXISTS (SELECT FROM ledger_checkpoint WHERE size = $2 AND root = $3)`,
      [generation, size, root, note],
    );
    await transaction.query('DELETE FROM ledger_evidence WHERE size = $1 AND root = $2', [size, root]);
  }

  #fenced<T>(work: (transaction: pg.ClientBase) => Promise<T>): Promise<T> {
    return inTransaction(this.#pool, async (client) => {
      if (!(await this.#lease.holds(client))) throw new SealerDisplaced('the sealer lost its lease');
      return work(client);
    });
  }
}
