import type pg from 'pg';
import type { Lease } from '../persistence/leases.ts';
import type { Wake } from '../persistence/wake.ts';
import type { FollowedEvent, ReadOptions } from '../event-store/event-store.ts';
import { DomainError } from '../kernel/errors.ts';
import type { StreamEvent } from '../kernel/event.ts';
import { entriesOf, tailOf, toRows, type MirrorRow, type Tail } from './mirror-rows.ts';
import { hasTail, type Hole, holesBefore, readTail, writeRows } from './mirror-table.ts';

/** The part of a store that can be mirrored. */
export interface MirrorSource {
  follow(position: string | null, signal: AbortSignal): AsyncIterable<readonly FollowedEvent[]>;
  /** The id of the event at exactly this position, null when there is none. */
  idAt(position: string): Promise<string | null>;
  readStream(stream: string, options: ReadOptions): AsyncIterable<StreamEvent>;
}

/** Table and store do not belong together. Going on would make a log that never was. */
export class MirrorMismatch extends DomainError {
  readonly code = 'MIRROR_MISMATCH';
}

/** What a crash of the database took comes again, the same, once the mirror begins where the table ends now. */
class TailLost extends Error {
  constructor({ n }: Tail) {
    super(`the log ends before ${String(n)} now: what its database lost is read again`);
  }
}

export interface MirrorContext {
  readonly source: MirrorSource;
  readonly pool: pg.Pool;
  readonly wake: Wake;
  readonly onRows: (tail: Tail) => void;
}

/** Nothing comes and the table may have lost its end: so often it is looked at. */
const LOOK_MS = 1_000;

/** Fills the log for as long as the lease is ours: reads on while the batch before is being written. */
export async function fill({ source, pool, wake, onRows }: MirrorContext, lease: Lease, signal: AbortSignal): Promise<void> {
  let tail = await readTail(pool);
  await recognise(source, tail);
  onRows(tail);
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  let failure: unknown;
  const fail = (error: unknown): void => {
    failure ??= error;
    over.abort();
  };
  const write = async (behind: Tail, rows: readonly MirrorRow[], after: Tail): Promise<void> => {
    try {
      if (!(await put({ source, pool }, lease, behind, rows))) {
        over.abort();
        return;
      }
      wake.ring('log');
      onRows(after);
    } catch (error) {
      fail(error);
    }
  };
  let writing = Promise.resolve();
  const look = async (): Promise<void> => {
    const written = tail;
    await writing;
    if (until.aborted) return;
    // A database that is away is not our finding: whoever holds the lease hears of it.
    if (!(await hasTail(pool, written).catch(() => true))) fail(new TailLost(written));
  };
  const looking = setInterval(() => void look(), LOOK_MS);
  try {
    for await (const batch of source.follow(tail.position, until)) {
      const rows = toRows(tail, batch);
      await writing;
      if (until.aborted) break;
      const behind = tail;
      tail = tailOf(behind, rows);
      writing = write(behind, rows, tail);
    }
  } finally {
    clearInterval(looking);
    await writing;
  }
  if (failure !== undefined) throw verdict(failure);
}

/**
 * False when the lease went to somebody else. Throws where a follower left something out, or the table lost its end: begun again at the end of
 * the table, it comes.
 */
async function put(
  { source, pool }: Pick<MirrorContext, 'source' | 'pool'>,
  lease: Lease,
  tail: Tail,
  rows: readonly MirrorRow[],
): Promise<boolean> {
  const entries = entriesOf(rows);
  if (await writeRows(pool, lease, tail, rows, entries)) return true;
  if (!(await hasTail(pool, tail))) throw new TailLost(tail);
  const holes = await holesBefore(pool, entries);
  if (holes.length === 0) return false;
  for (const hole of holes) await refuseLeftOut(source, hole);
  return writeRows(pool, lease, tail, rows, []);
}

/** What somebody else wrote into a stream of ours, or took out of it, leaves a hole that nothing of ours fills. */
async function refuseLeftOut(source: MirrorSource, { stream, revision, last }: Hole): Promise<void> {
  for await (const missing of source.readStream(stream, { from: last + 1, limit: revision - last - 1 }))
    throw new Error(`revision ${String(missing.revision)} of ${stream} was left out before ${String(revision)}`);
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
