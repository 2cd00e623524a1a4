import type pg from 'pg';
import type { FollowedEvent, ReadOptions } from '../event-store/event-store.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { StreamEvent } from '../../kernel/event.ts';
import type { Lease } from '../postgres/leases.ts';
import type { Wake } from '../postgres/wake.ts';
import {
  gapsBefore,
  hasTail,
  type MirrorRow,
  readTail,
  streamEntriesOf,
  type StreamGap,
  type MirrorTail,
  tailAfter,
  toMirrorRows,
  writeRows,
} from './mirror-table.ts';

/** The part of a store that can be mirrored. */
export interface MirrorSource {
  follow(position: string | null, signal: AbortSignal): AsyncIterable<readonly FollowedEvent[]>;
  /** The id of the event at exactly this position, null when there is none. */
  idAt(position: string): Promise<string | null>;
  readStream(stream: string, options: ReadOptions): AsyncIterable<StreamEvent>;
}

/** The log table and the store hold different histories; continuing would mix them. */
export class MirrorMismatch extends DomainError {
  readonly code = 'MIRROR_MISMATCH';
}

/** A crash of the database lost the end of the table; the mirror restarts at the new end and writes the same rows again. */
class TailLost extends Error {
  constructor({ n }: MirrorTail) {
    super(`the database lost the end of the log: event ${String(n)} is missing and will be mirrored again`);
  }
}

export interface MirrorContext {
  readonly source: MirrorSource;
  readonly pool: pg.Pool;
  readonly wake: Wake;
  readonly onRows: (tail: MirrorTail) => void;
}

/** How often the tail row is checked while no events arrive. */
const TAIL_CHECK_MS = 1_000;

/** Catch-up subscription that fills the log while the lease is held; reads the next batch while the previous one is written. */
export async function fillLog({ source, pool, wake, onRows }: MirrorContext, lease: Lease, signal: AbortSignal): Promise<void> {
  let tail = await readTail(pool);
  await refuseMismatch(source, tail);
  onRows(tail);
  const ended = new AbortController();
  const until = AbortSignal.any([signal, ended.signal]);
  let failure: unknown;
  const fail = (error: unknown): void => {
    failure ??= error;
    ended.abort();
  };
  const write = async (behind: MirrorTail, rows: readonly MirrorRow[], after: MirrorTail): Promise<void> => {
    try {
      if (!(await writeBatch({ source, pool }, lease, behind, rows))) {
        ended.abort();
        return;
      }
      wake.ring('log');
      onRows(after);
    } catch (error) {
      fail(error);
    }
  };
  let writing = Promise.resolve();
  const checkTail = async (): Promise<void> => {
    const written = tail;
    await writing;
    if (until.aborted) return;
    // An unreachable database is no sign of loss; the lease detects the outage.
    if (!(await hasTail(pool, written).catch(() => true))) fail(new TailLost(written));
  };
  const tailCheck = setInterval(() => void checkTail(), TAIL_CHECK_MS);
  try {
    for await (const batch of source.follow(tail.position, until)) {
      const rows = toMirrorRows(tail, batch);
      await writing;
      if (until.aborted) break;
      const behind = tail;
      tail = tailAfter(behind, rows);
      writing = write(behind, rows, tail);
    }
  } finally {
    clearInterval(tailCheck);
    await writing;
  }
  if (failure !== undefined) throw mismatchOrSame(failure);
}

/** False when the lease was lost. Throws when the subscription skipped an event or the table lost its end, so that the mirror restarts. */
async function writeBatch(
  { source, pool }: Pick<MirrorContext, 'source' | 'pool'>,
  lease: Lease,
  tail: MirrorTail,
  rows: readonly MirrorRow[],
): Promise<boolean> {
  const entries = streamEntriesOf(rows);
  if (await writeRows(pool, lease, tail, rows, entries)) return true;
  if (!(await hasTail(pool, tail))) throw new TailLost(tail);
  const gaps = await gapsBefore(pool, entries);
  if (gaps.length === 0) return false;
  for (const gap of gaps) await refuseSkippedEvents(source, gap);
  return writeRows(pool, lease, tail, rows, []);
}

/** Accepts a gap that the store has too: another application wrote into the stream, or truncated it. */
async function refuseSkippedEvents(source: MirrorSource, { stream, revision, last }: StreamGap): Promise<void> {
  for await (const missing of source.readStream(stream, { from: last + 1, limit: revision - last - 1 }))
    throw new Error(`gap in stream ${stream}: revision ${String(missing.revision)} is missing (next seen: ${String(revision)})`);
}

async function refuseMismatch(source: MirrorSource, tail: MirrorTail): Promise<void> {
  if (tail.position === null) return;
  if (!/^\d{20}:\d{20}$/.test(tail.position))
    throw new MirrorMismatch(`the log was filled by another engine: its last event has position ${tail.position}`);
  const id = await source.idAt(tail.position);
  // A server that is still starting may lack the event: the subscription waits for it, and fails when it does not appear.
  if (id === null || id === tail.id) return;
  throw new MirrorMismatch(`at position ${tail.position} the event store holds event ${id}, but the log holds event ${String(tail.id)}`);
}

/** A violated constraint or an invalid value means that store and table are not one history; any other error is transient. */
function mismatchOrSame(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const constraint = error instanceof Error && 'constraint' in error ? error.constraint : undefined;
  if (!/^2[23]/.test(code) || constraint === 'log_pkey') return error;
  return new MirrorMismatch(`the log table refuses an event of the event store: ${error instanceof Error ? error.message : code}`, {
    cause: error,
  });
}
