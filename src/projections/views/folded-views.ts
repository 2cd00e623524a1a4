import type { Log } from '../../log/log.ts';
import type { Columns, View } from '../authoring/define-view.ts';
import { foldOne, touches } from './fold.ts';
import { listRows } from './list-rows.ts';
import { scopeEvents } from './refold.ts';
import type { StoredRow } from './row.ts';
import type { Turns } from '../engine/turns.ts';
import type { ViewUnit } from './unit.ts';
import { type Item, KeyParked, type ListQuery, type ParkedRows, type RowsOf, type Views } from './views.ts';
import type { VoidedEvents } from '../engine/voided-events.ts';

type FoldedScope = ReadonlyMap<View, ReadonlyMap<string, StoredRow>>;

export interface FoldedFrom {
  readonly unit: ViewUnit;
  readonly log: Log;
  readonly voided: VoidedEvents;
  /** Folding takes the processor: at most so many at once. */
  readonly turns: Turns;
  /** The projects or accounts that rows belong, or once belonged, to, by key. */
  readonly scopesOf: (view: View, keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** What the tables held at an instant: the events of a scope up to it, folded by the same views. A scope is folded once for all of them. */
export class FoldedViews implements Views {
  private readonly scopes = new Map<string, Promise<FoldedScope>>();
  /** What is voided while an answer is made is for the next one. */
  private voidings: Promise<void> | undefined;

  constructor(
    private readonly from: FoldedFrom,
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
    return rows as unknown as RowsOf<Wanted>;
  }

  async many<Row extends object>(view: View<Row>, keys: readonly string[], parked?: ParkedRows): Promise<ReadonlyMap<string, Row>> {
    const scopes = await this.from.scopesOf(view, keys);
    const found = await Promise.all(
      [...scopes].map(async ([key, scope]) => {
        const stored = (await this.scope(scope)).get(view)?.get(key);
        const row = stored === undefined ? null : rowOf<Row>(view, stored, parked);
        return row === null ? [] : [[key, row] as const];
      }),
    );
    return new Map(found.flat());
  }

  async list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras> = {},
  ): Promise<readonly Item<Row>[]> {
    if (query.scope === undefined) throw new Error(`as of an instant ${view.name} can be listed within one project or account only`);
    const stored = (await this.scope(query.scope)).get(view) ?? new Map<string, StoredRow>();
    const items = [...stored.values()].flatMap(({ key, row }) => (row === null ? [] : [{ key, row }]));
    return listRows(view, items, query).flatMap(({ key }) => {
      const found = stored.get(key);
      const row = found === undefined ? null : rowOf<Row>(view, found, query.parked);
      return row === null ? [] : [{ key, row, ...(found?.parked === true && { isParked: true as const }) }];
    });
  }

  private scope(scope: string): Promise<FoldedScope> {
    const known = this.scopes.get(scope) ?? this.from.turns.take(() => this.fold(scope));
    this.scopes.set(scope, known);
    return known;
  }

  private async fold(scope: string): Promise<FoldedScope> {
    const { unit, log, voided } = this.from;
    this.voidings ??= voided.refresh();
    await this.voidings;
    const rows = new Map<View, Map<string, StoredRow>>(unit.views.map((view) => [view, new Map()]));
    for await (const events of scopeEvents(log, scope, this.n)) {
      for (const event of events) {
        if (voided.has(event.n)) continue;
        for (const touch of touches(unit, event)) {
          const known = rows.get(touch.view)?.get(touch.key);
          if (known?.parked === true) continue;
          const folded = foldOne(touch, known);
          if (folded.kind !== 'unchanged') rows.get(touch.view)?.set(touch.key, folded.stored);
        }
      }
    }
    return rows;
  }
}

/** The fold's rows leave it as the tables' do: through JSON, so that an answer is the same to the byte and nobody changes a shared row. */
function rowOf<Row extends object>(
  view: { readonly name: string },
  { key, row, parked }: StoredRow,
  wanted: ParkedRows = 'refused',
): Row | null {
  if (parked && wanted === 'refused') throw new KeyParked(view.name, key);
  return row === null ? null : (JSON.parse(JSON.stringify(row)) as Row);
}
