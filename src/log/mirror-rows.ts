import type { FollowedEvent } from '../event-store/event-store.ts';

/** The last row of the log, which the next one follows. `recordedAt` in microseconds since the epoch. */
export interface Tail {
  readonly n: number;
  readonly position: string | null;
  readonly id: string | null;
  readonly recordedAt: number;
}

export const BEFORE_THE_FIRST: Tail = { n: -1, position: null, id: null, recordedAt: 0 };

export interface MirrorRow {
  readonly n: number;
  readonly position: string;
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly version: number;
  readonly scope: string;
  readonly recordedAt: number;
  readonly data: string;
  readonly meta: string;
}

/**
 * Numbers what the store holds: a function of the store's order alone, so that a log that is filled again from nothing is the same log, byte for byte.
 * The store's clock may stand still or step back; ours strictly grows, a microsecond at least.
 */
export function toRows(tail: Tail, events: readonly FollowedEvent[]): readonly MirrorRow[] {
  let { n, recordedAt } = tail;
  return events.map((event) => {
    n += 1;
    recordedAt = Math.max(Date.parse(event.storedAt) * 1000, recordedAt + 1);
    const { position, id, stream, revision, type, version, scope } = event;
    return {
      n,
      position,
      id,
      stream,
      revision,
      type,
      version,
      scope,
      recordedAt,
      data: JSON.stringify(event.data),
      meta: JSON.stringify(event.meta),
    };
  });
}

export function tailOf(tail: Tail, rows: readonly MirrorRow[]): Tail {
  const last = rows.at(-1);
  return last ? { n: last.n, position: last.position, id: last.id, recordedAt: last.recordedAt } : tail;
}

export interface Entry {
  readonly stream: string;
  readonly revision: number;
  /** The one before it in its stream among the same rows, null where it is the first of them. */
  readonly after: number | null;
}

/** The events whose predecessor in their stream has to stand in the table already: it is not among these rows. */
export function entriesOf(rows: readonly MirrorRow[]): readonly Entry[] {
  const last = new Map<string, number>();
  return rows.flatMap(({ stream, revision }) => {
    const after = last.get(stream) ?? null;
    last.set(stream, revision);
    return revision === 0 || after === revision - 1 ? [] : [{ stream, revision, after }];
  });
}
