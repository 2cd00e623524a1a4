import type pg from 'pg';
import type { Lease } from '../persistence/leases.ts';

/** Fencing token of a shard's lease: every new holder of the lease has a higher epoch. */
export type FencingToken = Pick<Lease, 'name' | 'epoch'>;

/**
 * The fences of the shards, in the database of the observations, which may be another one than that of the leases. A new owner gets the lease, *then* raises
 * the fence, *then* reads: what a former owner stores until then is read, and afterwards it can store nothing.
 */
export class ObservationFences {
  constructor(private readonly db: Pick<pg.Pool, 'query'>) {}

  /** Waits for accepts in progress under a lower epoch. Rejects if a higher one was raised: the lease belongs to another process by now. */
  async raise({ name, epoch }: FencingToken): Promise<void> {
    const { rowCount } = await this.db.query({
      name: 'raise_fence',
      text: `INSERT INTO observation_fence (name, epoch) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch WHERE observation_fence.epoch <= excluded.epoch`,
      values: [name, epoch],
    });
    if (rowCount !== 1) throw new Error(`the fence of ${name} was raised above epoch ${String(epoch)}`);
  }
}

/**
 * Selects the fences that still have the given epochs and locks them until the transaction ends: a new owner waits for the write in progress, and the
 * former one can write nothing after the takeover. `names` and `epochs` are parameters, arrays of equal length.
 */
export const raisedFences = (names: string, epochs: string): string => `
  SELECT fence.name FROM observation_fence AS fence JOIN unnest(${names}::text[], ${epochs}::bigint[]) AS token (name, epoch) USING (name, epoch)
  FOR KEY SHARE OF fence`;
