import type pg from 'pg';
import { hashToText } from '../verify/merkle-tree.ts';
import type { ReadTiles } from '../verify/tile-tree.ts';

export interface LedgerState {
  readonly origin: string;
  /** Number of events in the tiles; the last checkpoint may cover fewer. */
  readonly size: number;
  /** How often the log was declared truncated. */
  readonly generation: number;
  /** Why sealing is stopped; null while it runs. */
  readonly stopped: string | null;
}

export interface StoredCheckpoint {
  /** Numbered from 1 without gaps, in the order of signing. */
  readonly number: number;
  readonly generation: number;
  readonly size: number;
  readonly root: Buffer;
  readonly note: string;
  readonly signedAt: Date;
}

export interface SignedTree {
  readonly size: number;
  readonly root: Buffer;
}

export interface SealEvidence {
  readonly note: string;
  readonly generation: number | null;
  readonly source: string;
}

export interface SealStatus {
  /** Why sealing is stopped; null while it runs. */
  readonly stopped: string | null;
  /** Events that no checkpoint covers yet; `lagSeconds` is the age of the first of them. */
  readonly unsigned: number;
  readonly lagSeconds: number;
  /** Checkpoints that the witness has not accepted; all of them without a witness. */
  readonly unwitnessed: number;
}

interface CheckpointRow {
  readonly number: string;
  readonly generation: number;
  readonly size: string;
  readonly root: Buffer;
  readonly note: string;
  readonly signed_at: Date;
}

const CHECKPOINT = 'SELECT number, generation, size, root, note, signed_at FROM ledger_checkpoint';

/** Reads the stored seal; only the sealer writes, through `SealWriter`. */
export class LedgerStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** The first start sets the origin; later starts get the stored one. */
  async initialise(origin: string): Promise<LedgerState> {
    await this.#pool.query('INSERT INTO ledger_state (origin) VALUES ($1) ON CONFLICT DO NOTHING', [origin]);
    const state = await this.state();
    if (state === null) throw new Error('the ledger has no state although it was just initialised');
    return state;
  }

  /** For health and metrics. */
  async status(): Promise<SealStatus> {
    const { rows } = await this.#pool.query<{ stopped: string | null; unsigned: string; lag: number | null; unwitnessed: string }>({
      name: 'ledger-standing',
      text: `SELECT stopped, head.size - signed.size AS unsigned,
               (SELECT extract(epoch FROM clock_timestamp() - recorded_at)::float8 FROM log WHERE n = signed.size) AS lag,
               signed.number - coalesce(
                 (SELECT number FROM ledger_checkpoint WHERE witnessed_at IS NOT NULL ORDER BY number DESC LIMIT 1), 0) AS unwitnessed
             FROM ledger_state,
               (SELECT coalesce(max(n), -1) + 1 AS size FROM log) AS head,
               (SELECT coalesce(max(number), 0) AS number,
                  coalesce((SELECT size FROM ledger_checkpoint ORDER BY number DESC LIMIT 1), 0) AS size FROM ledger_checkpoint) AS signed`,
    });
    const { stopped = null, unsigned = 0, lag = 0, unwitnessed = 0 } = rows[0] ?? {};
    return { stopped, unsigned: Math.max(0, Number(unsigned)), lagSeconds: Math.max(0, lag ?? 0), unwitnessed: Number(unwitnessed) };
  }

  async state(): Promise<LedgerState | null> {
    const { rows } = await this.#pool.query<{ origin: string; size: string; generation: number; stopped: string | null }>(
      'SELECT origin, size, generation, stopped FROM ledger_state',
    );
    return rows[0] ? { ...rows[0], size: Number(rows[0].size) } : null;
  }

  readonly readTiles: ReadTiles = async (tiles) => {
    const { rows } = await this.#pool.query<{ at: string; hashes: Buffer }>({
      name: 'ledger-tiles',
      text: `SELECT asked.at, hashes
             FROM unnest($1::smallint[], $2::bigint[]) WITH ORDINALITY AS asked (level, tile_index, at)
             JOIN ledger_tile USING (level, tile_index)`,
      values: [tiles.map(({ level }) => level), tiles.map(({ index }) => index)],
    });
    const found = new Map(rows.map(({ at, hashes }) => [Number(at) - 1, hashes]));
    return tiles.map((_, at) => found.get(at) ?? Buffer.alloc(0));
  };

  async latestCheckpoint(): Promise<StoredCheckpoint | null> {
    const [latest] = await this.#checkpoints(`${CHECKPOINT} ORDER BY number DESC LIMIT 1`, []);
    return latest ?? null;
  }

  /** In the order of signing, strictly after `number`. */
  checkpointsAfter(number: number, limit: number): Promise<readonly StoredCheckpoint[]> {
    return this.#checkpoints(`${CHECKPOINT} WHERE number > $1 ORDER BY number LIMIT $2`, [number, limit]);
  }

  /** Checkpoints up to a number, smallest size first. */
  async *checkpointsBySize(upTo: number, page = 500): AsyncGenerator<StoredCheckpoint> {
    for (let last = { size: -1, number: 0 }; ;) {
      const rows = await this.#checkpoints(
        `${CHECKPOINT} WHERE number <= $1 AND (size, number) > ($2, $3) ORDER BY size, number LIMIT $4`,
        [upTo, last.size, last.number, page],
      );
      yield* rows;
      const end = rows.at(-1);
      if (end === undefined) return;
      last = end;
    }
  }

  /** Checkpoints over fewer events, the largest first. */
  checkpointsBelow(size: number, limit: number): Promise<readonly StoredCheckpoint[]> {
    return this.#checkpoints(`${CHECKPOINT} WHERE size < $1 ORDER BY size DESC, number DESC LIMIT $2`, [size, limit]);
  }

  /** The first checkpoint that the witness has not accepted; the newest one if it has accepted none yet. */
  async unwitnessed(): Promise<StoredCheckpoint | null> {
    const [next] = await this.#checkpoints(
      `${CHECKPOINT}
       WHERE number > coalesce(
         (SELECT number FROM ledger_checkpoint WHERE witnessed_at IS NOT NULL ORDER BY number DESC LIMIT 1),
         (SELECT max(number) - 1 FROM ledger_checkpoint))
       ORDER BY number LIMIT 1`,
      [],
    );
    return next ?? null;
  }

  /** The number of losses declared before this tree was signed; null when this database has no checkpoint over it. */
  async generationOf({ size, root }: SignedTree): Promise<number | null> {
    const { rows } = await this.#pool.query<{ generation: number }>(
      'SELECT generation FROM ledger_checkpoint WHERE size = $1 AND root = $2 ORDER BY number DESC LIMIT 1',
      [size, root],
    );
    return rows[0]?.generation ?? null;
  }

  /** Checkpoints signed before that this database does not lead to, as instances passed them on. */
  async evidence(): Promise<readonly SealEvidence[]> {
    const { rows } = await this.#pool.query<SealEvidence>('SELECT note, generation, source FROM ledger_evidence ORDER BY size DESC');
    return rows;
  }

  async addEvidence({ size, root, generation, note, source }: SignedTree & SealEvidence): Promise<void> {
    await this.#pool.query(
      'INSERT INTO ledger_evidence (size, root, generation, note, source) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
      [size, root, generation, note, source],
    );
  }

  async dropEvidence({ size, root }: SignedTree): Promise<void> {
    await this.#pool.query('DELETE FROM ledger_evidence WHERE size = $1 AND root = $2', [size, root]);
  }

  async markWitnessed(number: number): Promise<void> {
    await this.#pool.query('UPDATE ledger_checkpoint SET witnessed_at = clock_timestamp() WHERE number = $1', [number]);
  }

  async #checkpoints(text: string, values: readonly unknown[]): Promise<readonly StoredCheckpoint[]> {
    const { rows } = await this.#pool.query<CheckpointRow>(text, [...values]);
    return rows.map(({ number, size, signed_at, ...row }) => ({ ...row, number: Number(number), size: Number(size), signedAt: signed_at }));
  }
}

export const describeCheckpoint = ({ number, size, root }: StoredCheckpoint): string =>
  `checkpoint ${String(number)} of ${String(size)} events (${hashToText(root)})`;
