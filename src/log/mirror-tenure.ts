import type pg from 'pg';
import type { Lease } from '../base/leases.ts';
import type { Wake } from '../base/wake.ts';
import type { FollowedEvent } from '../event-store/event-store.ts';
import { DomainError } from '../kernel/errors.ts';
import { tailOf, toRows, type MirrorRow, type Tail } from './mirror-rows.ts';
import { readTail, writeRows } from './mirror-table.ts';

/** The part of a store that can be mirrored. */
export interface MirrorSource {
  follow(position: string | null, signal: AbortSignal): AsyncIterable<readonly FollowedEvent[]>;
  /** The id of the event at exactly this position, null when there is none. */
  idAt(position: string): Promise<string | null>;
}

/** Table and store do not belong together. Going on would make a log that never was. */
export class MirrorMismatch extends DomainError {
  readonly code = 'MIRROR_MISMATCH';
}

export interface MirrorContext {
  readonly source: MirrorSource;
  readonly pool: pg.Pool;
  readonly wake: Wake;
  readonly onRows: (tail: Tail) => void;
}

/** Fills the log for as long as the lease is ours: reads on while the batch before is being written. */
export async function fill({ source, pool, wake, onRows }: MirrorContext, lease: Lease, signal: AbortSignal): Promise<void> {
  let tail = await readTail(pool);
  await recognise(source, tail);
  onRows(tail);
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  let failure: unknown;
  const write = async (rows: readonly MirrorRow[], after: Tail): Promise<void> => {
    try {
      if (!(await writeRows(pool, lease, rows))) {
        over.abort();
        return;
      }
      wake.ring('log');
      onRows(after);
    } catch (error) {
      failure = error;
      over.abort();
    }
  };
  let writing = Promise.resolve();
  try {
    for await (const batch of source.follow(tail.position, until)) {
      const rows = toRows(tail, batch);
      await writing;
      if (until.aborted) break;
      tail = tailOf(tail, rows);
      writing = write(rows, tail);
    }
  } finally {
    await writing;
  }
  if (failure !== undefined) throw verdict(failure);
}

async function recognise(source: MirrorSource, tail: Tail): Promise<void> {
  if (tail.position === null) return;
  if (!/^\d{20}:\d{20}$/.test(tail.position))
    throw new MirrorMismatch(`the log was filled by another engine: its last event stands at ${tail.position}`);
  const there = await source.idAt(tail.position);
  // Nothing there may be a server that is not done starting: the follower waits for that, and fails when it does not come.
  if (there === null || there === tail.id) return;
  throw new MirrorMismatch(`at ${tail.position} the event store holds event ${there}, and the log event ${String(tail.id)}`);
}

/** What the database will never take says that the store's events and the table's are not one history; the rest passes. */
function verdict(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const constraint = error instanceof Error && 'constraint' in error ? error.constraint : undefined;
  if (!/^2[23]/.test(code) || constraint === 'log_pkey') return error;
  return new MirrorMismatch(`the log refuses what the event store holds: ${error instanceof Error ? error.message : code}`, {
    cause: error,
  });
}
