import { setImmediate as yielding } from 'node:timers/promises';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import type { Batch, RowName } from './batch.ts';
import { foldOne, touches } from './fold.ts';
import type { StoredRow, Trouble } from './row.ts';
import { type ViewUnit, viewUnit } from './unit.ts';
import { type VoidedEvents, voidedPosition } from '../engine/voided-events.ts';

const PAGE = 1_000;

/** The events of a scope up to an instant, a page at a time, yielding in between: a long history does not hold up the process. */
export async function* scopeEvents(log: Log, scope: string, until: number): AsyncGenerator<readonly LogEvent[]> {
  const page = (after: number): Promise<readonly LogEvent[]> => {
    const coming = log.read({ after, until, scope, limit: PAGE });
    // It may fail while the page before it is folded, before anybody waits for it.
    coming.catch(() => undefined);
    return coming;
  };
  for (let next: Promise<readonly LogEvent[]> | null = page(-1); next !== null;) {
    const events: readonly LogEvent[] = await next;
    const last = events.at(-1);
    // Asked for already while these are folded.
    next = last === undefined || events.length < PAGE ? null : page(last.n);
    if (events.length > 0) yield events;
    await yielding();
  }
}

export interface Refolded {
  readonly stored: StoredRow | undefined;
  readonly trouble: Trouble | undefined;
}

/** One row from its beginning: after an operator voided one of its events, or asked to try again. */
export async function refold(log: Log, voided: VoidedEvents, { view, key }: RowName, scope: string, until: number): Promise<Refolded> {
  const alone = viewUnit(view.name, [view]);
  let stored: StoredRow | undefined;
  for await (const events of scopeEvents(log, scope, until)) {
    for (const event of events) {
      if (voided.has(event.n)) continue;
      for (const touch of touches(alone, event)) {
        if (touch.key !== key) continue;
        const folded = foldOne(touch, stored);
        if (folded.kind === 'parked') return folded;
        if (folded.kind === 'changed') stored = folded.stored;
      }
    }
  }
  return { stored, trouble: undefined };
}

/** The rows that a voided event had touched. One that nobody can read had touched none. */
export async function rowsOfVoided(
  log: Log,
  unit: ViewUnit,
  events: readonly LogEvent[],
): Promise<readonly (RowName & { readonly scope: string })[]> {
  const rows: (RowName & { readonly scope: string })[] = [];
  for (const event of events) {
    const n = voidedPosition(event, unit);
    if (n === null) continue;
    const [voided] = await log.read({ after: n - 1, until: n, limit: 1 });
    if (voided === undefined) continue;
    try {
      for (const { view, key } of touches(unit, voided)) rows.push({ view, key, scope: voided.scope });
    } catch {
      continue;
    }
  }
  return rows;
}

/** Puts a row that was folded again into a batch, over whatever the batch did to it. */
export function putRefolded(batch: Batch, name: RowName, { stored, trouble }: Refolded): void {
  batch.undo(name);
  batch.freed.push(name);
  if (stored !== undefined) batch.put(name.view, stored);
  else batch.gone.push(name);
  if (trouble !== undefined) batch.trouble(trouble);
}
