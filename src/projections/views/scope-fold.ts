import type { LogEvent } from '../../kernel/event.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';
import { BatchedLookup } from '../../persistence/batched-lookup.ts';
import type { Log } from '../../log/log.ts';
import type { View } from '../authoring/define-view.ts';
import type { VoidedEvents } from '../engine/voided-events.ts';
import { foldEvent, rowEventsOf } from './fold.ts';
import { scopeEvents } from './refold.ts';
import type { StoredRow } from './stored-row.ts';
import { type ViewUnit, viewUnit } from './unit.ts';

export type FoldedRows = ReadonlyMap<string, StoredRow>;

/** Pages that are kept for the next view of the same answer; of a longer scope they are read again. */
const KEPT_PAGES = 12;

/** One scope as of a position. A view is folded when an answer first reads it, together with those that are read in the same tick. */
export class ScopeFold {
  private readonly folded = new Map<string, Promise<FoldedRows | undefined>>();
  private readonly folding: BatchedLookup<FoldedRows>;
  private pages: readonly (readonly LogEvent[])[] | undefined;

  constructor(
    private readonly unit: ViewUnit,
    private readonly log: Log,
    private readonly voided: VoidedEvents,
    private readonly scope: string,
    private readonly until: number,
    run: <Result>(work: () => Promise<Result>) => Promise<Result>,
  ) {
    this.folding = new BatchedLookup((names) => run(() => this.fold(unit.views.filter(({ name }) => names.includes(name)))));
  }

  async rowsOf({ name }: { readonly name: string }): Promise<FoldedRows> {
    const rows = this.folded.get(name) ?? this.folding.load(name);
    this.folded.set(name, rows);
    const found = await rows;
    if (found === undefined) throw new Error(`${this.unit.name} has no view ${name}`);
    return found;
  }

  private async fold(views: readonly View[]): Promise<ReadonlyMap<string, FoldedRows>> {
    const unit = viewUnit(this.unit.name, views);
    const rows = new Map(views.map(({ name }) => [name, new Map<string, StoredRow>()]));
    const slice = new TimeSlice();
    for await (const events of this.events()) {
      for (const event of events) {
        if (this.voided.has(event.n)) continue;
        if (slice.isOver) await slice.next();
        for (const rowEvent of rowEventsOf(unit, event)) {
          const known = rows.get(rowEvent.view.name)?.get(rowEvent.key);
          if (known?.parked === true) continue;
          const folded = foldEvent(rowEvent, known);
          if (folded.kind !== 'unchanged') rows.get(rowEvent.view.name)?.set(rowEvent.key, folded.stored);
        }
      }
    }
    return rows;
  }

  private async *events(): AsyncGenerator<readonly LogEvent[]> {
    if (this.pages !== undefined) {
      yield* this.pages;
      return;
    }
    const pages: (readonly LogEvent[])[] = [];
    for await (const page of scopeEvents(this.log, this.scope, this.until)) {
      if (pages.length <= KEPT_PAGES) pages.push(page);
      yield page;
    }
    if (pages.length <= KEPT_PAGES) this.pages = pages;
  }
}
