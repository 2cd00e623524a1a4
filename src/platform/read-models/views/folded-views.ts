import type { ConcurrencyLimit } from '../../../kernel/concurrency-limit.ts';
import { TimeSlice } from '../../../kernel/time-slice.ts';
import type { Columns, View } from '../authoring/define-view.ts';
import { summariesOf, withSummaries } from '../authoring/summary.ts';
import { columnOf, listRows } from './list-rows.ts';
import { ScopeFold, type ScopeSource } from './scope-fold.ts';
import type { FoldedRows, StoredRow } from './stored-row.ts';
import { KeyParked, type ListItem, type ListQuery, type ParkedRows, type RowsOf, type Views } from './views.ts';

export interface FoldSource extends ScopeSource {
  /** Folding occupies the processor. */
  readonly limit: ConcurrencyLimit;
  /** The projects or accounts that rows belong to, or belonged to, by key. */
  readonly scopesOf: (view: View, keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** What the tables held at a position of the log: the events of a scope up to it, folded by the same views, of which only those that are read. */
export class FoldedViews implements Views {
  private readonly scopes = new Map<string, ScopeFold>();
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
    const scopes = await Promise.all(views.map(async (view) => (await this.source.scopesOf(view, [key])).get(key)));
    const rows = await Promise.all(views.map((view, index) => this.row(view, key, scopes[index])));
    // Cast: each row is one of the view at its index.
    return rows as unknown as RowsOf<Wanted>;
  }

  async many<Row extends object>(view: View<Row>, keys: readonly string[], parked?: ParkedRows): Promise<ReadonlyMap<string, Row>> {
    const found = new Map<string, Row>();
    const slice = new TimeSlice();
    for (const [key, scope] of await this.source.scopesOf(view, keys)) {
      if (slice.isOver) await slice.next();
      const row = await this.row(view, key, scope, parked);
      if (row !== null) found.set(key, row);
    }
    return found;
  }

  async list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras> = {},
  ): Promise<readonly ListItem<Row>[]> {
    const { found, copy } = await this.matching(view, query);
    const listed: ListItem<Row>[] = [];
    const slice = new TimeSlice();
    for (const { key } of found) {
      if (slice.isOver) await slice.next();
      listed.push(copy(key));
    }
    return listed;
  }

  async count<Row extends object, Extras extends Columns<Row>>(view: View<Row, Extras>, query: ListQuery<Extras>): Promise<number> {
    return (await this.matching(view, query)).found.length;
  }

  async firsts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    groups: readonly string[],
    query: Pick<ListQuery<Extras>, 'scope' | 'also' | 'order' | 'parked'>,
  ): Promise<ReadonlyMap<string, Row>> {
    const firsts = new Map<string, Row>();
    if (groups.length === 0) return firsts;
    const { found, copy } = await this.matching(view, query);
    const [groupOf, wanted] = [columnOf(view, column), new Set(groups)];
    for (const { key, row } of found) {
      const group = groupOf(row);
      if (typeof group !== 'string' || !wanted.delete(group)) continue;
      firsts.set(group, copy(key).row);
      if (wanted.size === 0) break;
    }
    return firsts;
  }

  async counts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    values: readonly string[],
    scope: string,
  ): Promise<ReadonlyMap<string, number>> {
    const [valueOf, counts] = [columnOf(view, column), new Map<unknown, number>()];
    for (const { row } of (await this.rows(scope, view)).values()) {
      const value = row === null ? null : valueOf(row);
      if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return new Map(values.map((value) => [value, counts.get(value) ?? 0]));
  }

  prefetch(scope: string, views: readonly View[]): void {
    // What fails here fails for the reader, too.
    for (const view of views) this.rows(scope, view).catch(() => undefined);
  }

  /** The rows of a list in its order, which are shared by all reads of an answer, and copies of them. */
  private async matching<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras>,
  ): Promise<{ readonly found: readonly ListItem<object>[]; readonly copy: (key: string) => ListItem<Row> }> {
    const { scope } = query;
    if (scope === undefined) throw new Error(`as of an instant ${view.name} can be listed within one project or account only`);
    const [stored, summarized, ...also] = await Promise.all([
      this.rows(scope, view),
      this.summarized(scope, view),
      ...(query.also ?? []).map(async (other) => [other.view, await this.rowsByKey(scope, other.view)] as const),
    ]);
    const others = new Map<View, ReadonlyMap<string, object | null>>(also);
    const items = [...stored.values()].flatMap(({ key, row }) => (row === null ? [] : [{ key, row: summarized(key, row) }]));
    return {
      found: listRows(view, items, query, (other) => others.get(other) ?? new Map()),
      copy: (key) => {
        const known = stored.get(key);
        const row = known === undefined ? null : copyOfRow<Row>(view, known, summarized, query.parked);
        if (row === null) throw new Error(`${view.name} has no row ${key}`);
        return { key, row, ...(known?.parked === true && { isParked: true as const }) };
      },
    };
  }

  private async rowsByKey(scope: string, view: View): Promise<ReadonlyMap<string, object | null>> {
    return new Map([...(await this.rows(scope, view)).values()].map(({ key, row }) => [key, row]));
  }

  private async row<Row extends object>(view: View<Row>, key: string, scope: string | undefined, parked?: ParkedRows): Promise<Row | null> {
    if (scope === undefined) return null;
    const [rows, summarized] = await Promise.all([this.rows(scope, view), this.summarized(scope, view)]);
    const stored = rows.get(key);
    return stored === undefined ? null : copyOfRow<Row>(view, stored, summarized, parked);
  }

  /** Adds the summaries to rows of this scope. */
  private async summarized(scope: string, view: View): Promise<Summarized> {
    const { views } = this.source.unit;
    const others = summariesOf(view).flatMap(([, { of }]) => (views.includes(of) ? [of] : []));
    const rows = new Map(await Promise.all(others.map(async (of) => [of, await this.rows(scope, of)] as const)));
    return (key, row) => withSummaries(view, key, row, (of) => [...(rows.get(of)?.values() ?? [])].map((stored) => stored.row));
  }

  private async rows(scope: string, view: { readonly name: string }): Promise<FoldedRows> {
    const { voided, limit } = this.source;
    const fold = this.scopes.get(scope) ?? new ScopeFold(this.source, scope, this.n, (work) => limit.run(work));
    this.scopes.set(scope, fold);
    this.refreshed ??= voided.refresh();
    await this.refreshed;
    return fold.rowsOf(view);
  }
}

type Summarized = (key: string, row: object) => object;

/** Through JSON, as rows of tables: answers are the same to the byte, and no caller can change a shared row. */
function copyOfRow<Row extends object>(
  view: { readonly name: string },
  { key, row, parked }: StoredRow,
  summarized: Summarized,
  wanted: ParkedRows = 'refused',
): Row | null {
  if (parked && wanted === 'refused') throw new KeyParked(view.name, key);
  // Cast: the row was folded by this view.
  return row === null ? null : (JSON.parse(JSON.stringify(summarized(key, row))) as Row);
}
