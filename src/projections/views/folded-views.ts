import type { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { Log } from '../../log/log.ts';
import type { Columns, View } from '../authoring/define-view.ts';
import type { VoidedEvents } from '../engine/voided-events.ts';
import { foldEvent, rowEventsOf } from './fold.ts';
import { listRows } from './list-rows.ts';
import { scopeEvents } from './refold.ts';
import type { StoredRow } from './stored-row.ts';
import type { ViewUnit } from './unit.ts';
import { KeyParked, type ListItem, type ListQuery, type ParkedRows, type RowsOf, type Views } from './views.ts';

type FoldedScope = ReadonlyMap<View, ReadonlyMap<string, StoredRow>>;

export interface FoldSource {
  readonly unit: ViewUnit;
  readonly log: Log;
  readonly voided: VoidedEvents;
  /** Folding occupies the processor. */
  readonly limit: ConcurrencyLimit;
  /** The projects or accounts that rows belong to, or belonged to, by key. */
  readonly scopesOf: (view: View, keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** What the tables held at a position of the log: the events of a scope up to it, folded by the same views, once for all of them. */
export class FoldedViews implements Views {
  private readonly scopes = new Map<string, Promise<FoldedScope>>();
  /** Once for all reads of an answer, so that they agree. */
  private refreshed: Promise<void> | undefined;

  constructor(
    private readonly source: FoldSource,
    private readonly n: number,
  ) {}

  position(): number {
    return this.n;
  }

  async get<Row extends object>(view: View<Row>, key: string): Promise<Row | null> {
    return (await this.many(view, [key])).get(key) ?? null;
  }

  async across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>> {
    const rows: (object | null)[] = [];
    for (const view of views) rows.push(await this.get(view, key));
    // Cast: each row is one of the view at its index.
    return rows as unknown as RowsOf<Wanted>;
  }

  async many<Row extends object>(view: View<Row>, keys: readonly string[], parked?: ParkedRows): Promise<ReadonlyMap<string, Row>> {
    const scopes = await this.source.scopesOf(view, keys);
    const found = await Promise.all(
      [...scopes].map(async ([key, scope]) => {
        const stored = (await this.scope(scope)).get(view)?.get(key);
        const row = stored === undefined ? null : copyOfRow<Row>(view, stored, parked);
        return row === null ? [] : [[key, row] as const];
      }),
    );
    return new Map(found.flat());
  }

  async list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras> = {},
  ): Promise<readonly ListItem<Row>[]> {
    if (query.scope === undefined) throw new Error(`as of an instant ${view.name} can be listed within one project or account only`);
    const stored = (await this.scope(query.scope)).get(view) ?? new Map<string, StoredRow>();
    const items = [...stored.values()].flatMap(({ key, row }) => (row === null ? [] : [{ key, row }]));
    return listRows(view, items, query).flatMap(({ key }) => {
      const found = stored.get(key);
      const row = found === undefined ? null : copyOfRow<Row>(view, found, query.parked);
      return row === null ? [] : [{ key, row, ...(found?.parked === true && { isParked: true as const }) }];
    });
  }

  private scope(scope: string): Promise<FoldedScope> {
    const known = this.scopes.get(scope) ?? this.source.limit.run(() => this.fold(scope));
    this.scopes.set(scope, known);
    return known;
  }

  private async fold(scope: string): Promise<FoldedScope> {
    const { unit, log, voided } = this.source;
    this.refreshed ??= voided.refresh();
    await this.refreshed;
    const rows = new Map<View, Map<string, StoredRow>>(unit.views.map((view) => [view, new Map()]));
    for await (const events of scopeEvents(log, scope, this.n)) {
      for (const event of events) {
        if (voided.has(event.n)) continue;
        for (const rowEvent of rowEventsOf(unit, event)) {
          const known = rows.get(rowEvent.view)?.get(rowEvent.key);
          if (known?.parked === true) continue;
          const folded = foldEvent(rowEvent, known);
          if (folded.kind !== 'unchanged') rows.get(rowEvent.view)?.set(rowEvent.key, folded.stored);
        }
      }
    }
    return rows;
  }
}

/** Through JSON, as rows of tables: answers are the same to the byte, and no caller can change a shared row. */
function copyOfRow<Row extends object>(
  view: { readonly name: string },
  { key, row, parked }: StoredRow,
  wanted: ParkedRows = 'refused',
): Row | null {
  if (parked && wanted === 'refused') throw new KeyParked(view.name, key);
  // Cast: the row was folded by this view.
  return row === null ? null : (JSON.parse(JSON.stringify(row)) as Row);
}
