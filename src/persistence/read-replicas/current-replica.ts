import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReadReplica } from './read-replica.ts';

interface Reading {
  /** Null once the work has ended: loops and timers that it started keep its context, and read from the primary. */
  replica: ReadReplica | null;
}

const current = new AsyncLocalStorage<Reading>();

/** Begins work whose reads a replica answers; the returned function ends it. Without `READ_URL` the storage is never used: in Node 20 one in use makes every promise of the process slower. */
export function beginReading(replica: ReadReplica, work: () => void): () => void {
  const reading: Reading = { replica };
  current.run(reading, work);
  return () => {
    reading.replica = null;
  };
}

/** The replica that answers the reads of the present work; null: the primary does, also from the moment that the replica was left out. */
export function currentReplica(): ReadReplica | null {
  const replica = current.getStore()?.replica ?? null;
  return replica?.isUsed === true ? replica : null;
}
