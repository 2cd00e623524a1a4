import type pg from 'pg';
import { hashToText } from '../../../client/proofs/merkle-tree.ts';
import type { ReadTiles } from '../../../client/proofs/tile-tree.ts';

export interface LedgerState {
  /** The first one; that of new checkpoints follows from the generation (verify/origin.ts). */
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

export interface StoredOrigin {
  readonly generation: number;
  /** A signed note. */
  readonly checkpoint: string;
  /** A signed note (verify/origin-end.ts); null while it signs. */
  readonly end: string | null;
}

export interface SignedTree {
  readonly size: number;
  readonly root: Buffer;
}

export interface SealEvidence {
  readonly note: string;
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

  /** The newest one of the origin that signs now; the tiles lead to it. */
  async currentCheckpoint(): Promise<StoredCheckpoint | null> {
    const [current] = await this.#checkpoints(
      `${CHECKPOINT} WHERE generation = (SELECT generation FROM ledger_state) ORDER BY number DESC LIMIT 1`,
      [],
    );
    return current ?? null;
  }

  /** The largest one of an origin before the generation, as a signed note. */
  async lastCheckpointBefore(generation: number): Promise<string | null> {
    const { rows } = await this.#pool.query<{ note: string }>(
      'SELECT note FROM ledger_checkpoint WHERE generation < $1 ORDER BY generation DESC, size DESC, number DESC LIMIT 1',
      [generation],
    );
    return rows[0]?.note ?? null;
  }

  async hasOriginEnd(generation: number): Promise<boolean> {
    return (await this.#pool.query('SELECT FROM ledger_origin_end WHERE generation = $1', [generation])).rowCount === 1;
  }

  /** The largest checkpoint of each origin that has one, and the statement of its end, by the number of losses before it. */
  async origins(): Promise<readonly StoredOrigin[]> {
    const { rows } = await this.#pool.query<StoredOrigin>(
      `SELECT generation, note AS checkpoint,
         (SELECT e.note FROM ledger_origin_end e WHERE e.generation > c.generation ORDER BY e.generation LIMIT 1) AS end
       FROM (SELECT DISTINCT ON (generation) generation, note FROM ledger_checkpoint ORDER BY generation, size DESC, number DESC) AS c
       ORDER BY generation DESC`,
    );
    return rows;
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

  /** Checkpoints of one origin over fewer events, the largest first. */
  checkpointsBelow(size: number, generation: number, limit: number): Promise<readonly StoredCheckpoint[]> {
    return this.#checkpoints(`${CHECKPOINT} WHERE size < $1 AND generation = $2 ORDER BY size DESC, number DESC LIMIT $3`, [
      size,
      generation,
      limit,
    ]);
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

  /** Checkpoints signed before that this database does not lead to, as instances passed them on. */
  async evidence(): Promise<readonly SealEvidence[]> {
    const { rows } = await this.#pool.query<SealEvidence>('SELECT note, source FROM ledger_evidence ORDER BY size DESC');
    return rows;
  }

  async addEvidence({ size, root, note, source }: SignedTree & SealEvidence): Promise<void> {
    await this.#pool.query('INSERT INTO ledger_evidence (size, root, note, source) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING', [
      size,
      root,
      note,
      source,
    ]);
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
