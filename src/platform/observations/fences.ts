import type { Lease } from '../postgres/leases.ts';
import { type ObservationDb, schemasOf } from './schemas.ts';

/** Fencing token of a shard's lease: every new holder of the lease has a higher epoch. */
export type FencingToken = Pick<Lease, 'name' | 'epoch'>;

/**
 * The fences of the shards, in the database of the observations, which may be another one than that of the leases. A new owner gets the lease, *then* raises
 * the fence, *then* reads: what a former owner stores until then is read, and afterwards it can store nothing.
 */
export class ObservationFences {
  constructor(private readonly db: ObservationDb) {}

  /** Waits for accepts in progress under a lower epoch. Rejects if a higher one was raised: the lease belongs to another process by now. */
  async raise({ name, epoch }: FencingToken): Promise<void> {
    const schema = schemasOf(this.db).ofLease(name);
    const { rowCount } = await this.db.query({
      name: schema.statement('raise_fence'),
      text: `INSERT INTO ${schema.table('observation_fence')} AS fence (name, epoch) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch WHERE fence.epoch <= excluded.epoch`,
      values: [name, epoch],
    });
    if (rowCount !== 1) throw new Error(`the fence of ${name} was raised above epoch ${String(epoch)}`);
  }
}

/** Rejects if one of the schemas cannot be reached: on a distributed Postgres, one of its nodes. */
export async function reachObservations(db: ObservationDb): Promise<void> {
  for (const schema of schemasOf(db).all) await db.query(`SELECT FROM ${schema.table('observation_fence')} LIMIT 1`);
}

/**
 * Selects the fences that still have the given epochs and locks them until the transaction ends: a new owner waits for the write in progress, and the
 * former one can write nothing after the takeover. `names` and `epochs` are parameters, arrays of equal length; a name appears once. `table`: that of their schema.
 */
export const raisedFences = (names: string, epochs: string, table = 'observation_fence'): string => `
  SELECT name FROM ${table}
  WHERE name = ANY (${names}::text[]) AND epoch = (${epochs}::bigint[])[array_position(${names}::text[], name)] FOR KEY SHARE`;
