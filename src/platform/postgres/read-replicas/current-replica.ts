import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/** A replica as work reads from it. */
export interface AnsweringReplica {
  readonly name: string;
  readonly pool: pg.Pool;
  /** False from the moment that it was left out. */
  readonly isUsed: boolean;
  /** Notes that a statement was repeated on the primary. */
  repeated(): void;
}

/** The configuration of a route that reads tables which are written by asynchronous commits, as those of packages are. */
export const READS_TABLES = { readsTables: true };

interface Reading {
  /** Null once the work has ended: loops and timers that it started keep its context, and read from the primary. */
  replica: AnsweringReplica | null;
}

const current = new AsyncLocalStorage<Reading>();

/** Begins work whose reads a replica answers; the returned function ends it. Without `READ_URL` the storage is never used: in Node 20 one in use makes every promise of the process slower. */
export function beginReading(replica: AnsweringReplica, work: () => void): () => void {
  const reading: Reading = { replica };
  current.run(reading, work);
  return () => {
    reading.replica = null;
  };
}

/** The replica that answers the reads of the present work; null when the primary does, also from the moment that the replica was left out. */
export function currentReplica(): AnsweringReplica | null {
  const replica = current.getStore()?.replica ?? null;
  return replica?.isUsed === true ? replica : null;
}
