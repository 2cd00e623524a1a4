import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { LogEvent } from '../../../kernel/event.ts';
import type { LogReader } from '../../log/log.ts';
import type { ParkedEvent } from '../engine/parked-events.ts';
import { type VoidedEvents, voidedPosition } from '../engine/voided-events.ts';
import { foldEvent, rowEventsOf } from './fold.ts';
import type { StoredRow } from './stored-row.ts';
import { type ViewUnit, viewUnit } from './unit.ts';
import type { RowName } from './view-batch.ts';

const PAGE = 500;
const PAGE_BYTES = 512 * 1024;

/**
 * The events of a scope after one position and up to another, page by page, yielding to others in between; the next page is read while one is folded.
 * A page is small enough to be parsed within milliseconds.
 */
export async function* scopeEvents(
  log: Pick<LogReader, 'read'>,
  scope: string,
  until: number,
  from = -1,
  types?: readonly string[],
): AsyncGenerator<readonly LogEvent[]> {
  const page = (after: number): Promise<readonly LogEvent[]> => {
    const events =
      after >= until
        ? Promise.resolve([])
        : log.read({ after, until, scope, limit: PAGE, bytes: PAGE_BYTES, ...(types !== undefined && { types }) });
    // It may reject before anything awaits it.
    events.catch(() => undefined);
    return events;
  };
  for (let next = page(from); ;) {
    const events = await next;
    const last = events.at(-1);
    if (last === undefined) return;
    next = page(last.n);
    yield events;
    await yieldToOthers();
  }
}

export interface Refolded {
  /** Undefined when no event of the row is left. */
  readonly stored?: StoredRow;
  readonly parkedEvent?: ParkedEvent;
}

/** Folds one row from its first event: after one of its events was voided, or when an operator retries it. */
export async function refold(
  log: Pick<LogReader, 'read'>,
  voided: VoidedEvents,
  { view, key }: RowName,
  scope: string,
  until: number,
): Promise<Refolded> {
  const unit = viewUnit(view.name, [view]);
  let stored: StoredRow | undefined;
  for await (const events of scopeEvents(log, scope, until)) {
    for (const event of events) {
      if (voided.has(event.n)) continue;
      for (const rowEvent of rowEventsOf(unit, event)) {
        if (rowEvent.key !== key) continue;
        const folded = foldEvent(rowEvent, stored);
        if (folded.kind === 'parked') return folded;
        if (folded.kind === 'changed') stored = folded.stored;
      }
    }
  }
  return stored === undefined ? {} : { stored };
}

export type ScopedRow = RowName & { readonly scope: string };

/** The rows that the events changed which are voided here. An unreadable event changed none. */
export async function rowsOfVoided(
  log: Pick<LogReader, 'read'>,
  unit: ViewUnit,
  events: readonly LogEvent[],
): Promise<readonly ScopedRow[]> {
  const rows: ScopedRow[] = [];
  for (const event of events) {
    const n = voidedPosition(event, unit);
    if (n === null) continue;
    const [voided] = await log.read({ after: n - 1, until: n, limit: 1 });
    if (voided === undefined) continue;
    try {
      for (const { view, key } of rowEventsOf(unit, voided)) rows.push({ view, key, scope: voided.scope });
    } catch {
      continue;
    }
  }
  return rows;
}
