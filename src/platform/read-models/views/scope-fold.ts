import type { LogEvent } from '../../../kernel/event.ts';
import { TimeSlice } from '../../../kernel/time-slice.ts';
import { BatchedLookup } from '../../postgres/batched-lookup.ts';
import type { Log } from '../../log/log.ts';
import type { View } from '../authoring/define-view.ts';
import type { VoidedEvents } from '../engine/voided-events.ts';
import { foldEvent, rowEventsOf } from './fold.ts';
import { scopeEvents } from './refold.ts';
import type { ScopeSnapshot } from './scope-snapshots.ts';
import type { FoldedRows, StoredRow } from './stored-row.ts';
import { type ViewUnit, viewUnit } from './unit.ts';

/** More types than this are read with all events of the scope. */
export const MAX_TYPES = 48;
/** Reading by type reads a page of each type, so it pays where less than this share of the events is handled: one in four. */
const FEW = 4;

export interface ScopeSource {
  readonly unit: ViewUnit;
  readonly log: Pick<Log, 'read'>;
  readonly voided: VoidedEvents;
  /** A snapshot to fold on from. */
  readonly base?: (scope: string, until: number, views: readonly View[]) => Promise<ScopeSnapshot | null>;
}

/** One scope as of a position. A view is folded when an answer first reads it, together with those that are read in the same tick. */
export class ScopeFold {
  private readonly folded = new Map<string, Promise<FoldedRows | undefined>>();
  private readonly folding: BatchedLookup<FoldedRows>;

  constructor(
    private readonly source: ScopeSource,
    private readonly scope: string,
    private readonly until: number,
    run: <Result>(work: () => Promise<Result>) => Promise<Result> = (work) => work(),
  ) {
    const { views } = source.unit;
    this.folding = new BatchedLookup((names) => run(() => this.fold(views.filter(({ name }) => names.includes(name)))));
  }

  async rowsOf({ name }: { readonly name: string }): Promise<FoldedRows> {
    const rows = this.folded.get(name) ?? this.folding.load(name);
    this.folded.set(name, rows);
    const found = await rows;
    if (found === undefined) throw new Error(`${this.source.unit.name} has no view ${name}`);
    return found;
  }

  private async fold(views: readonly View[]): Promise<ReadonlyMap<string, FoldedRows>> {
    const { base, voided } = this.source;
    const unit = viewUnit(this.source.unit.name, views);
    const known = (await base?.(this.scope, this.until, views)) ?? null;
    const rows = new Map(views.map(({ name }) => [name, new Map<string, StoredRow>(known?.rows.get(name))]));
    const slice = new TimeSlice();
    for await (const events of this.events(known?.n ?? -1, views)) {
      for (const event of events) {
        if (voided.has(event.n)) continue;
        if (slice.isOver) await slice.next();
        for (const rowEvent of rowEventsOf(unit, event)) {
          const before = rows.get(rowEvent.view.name)?.get(rowEvent.key);
          if (before?.parked === true) continue;
          const folded = foldEvent(rowEvent, before);
          if (folded.kind !== 'unchanged') rows.get(rowEvent.view.name)?.set(rowEvent.key, folded.stored);
        }
      }
    }
    return rows;
  }

  /** Reads on by type where few of the events of a page are of the types that these views handle. */
  private async *events(from: number, views: readonly View[]): AsyncGenerator<readonly LogEvent[]> {
    const { log } = this.source;
    const types = new Set(views.flatMap(({ handles }) => [...handles]));
    for await (const page of scopeEvents(log, this.scope, this.until, from)) {
      yield page;
      const last = page.at(-1);
      const handled = page.filter(({ type }) => types.has(type)).length;
      if (last === undefined || types.size > MAX_TYPES || handled * FEW > page.length) continue;
      yield* scopeEvents(log, this.scope, this.until, last.n, [...types]);
      return;
    }
  }
}
