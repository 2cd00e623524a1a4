import type { Lease } from '../persistence/leases.ts';

/** The right to measure for a shard, as its holder knows it. Whoever took the lease over has a higher epoch. */
export type Fence = Pick<Lease, 'name' | 'epoch'>;

/**
 * The leases that are still held as named, kept so until the statement's transaction ends: a new owner waits for what is being written, and nothing is
 * written after it took over. `names` and `epochs` are parameters, arrays of equal length.
 */
export const heldLeases = (names: string, epochs: string): string => `
  SELECT lease.name FROM lease JOIN unnest(${names}::text[], ${epochs}::bigint[]) AS fence (name, epoch) USING (name, epoch) FOR KEY SHARE OF lease`;
