import type { Columns, View } from '../../platform/read-models/authoring/define-view.ts';
import { listRows } from '../../platform/read-models/views/list-rows.ts';
import type { ListItem, ListQuery, ParkedRows, RowsOf, Views, ViewsAt } from '../../platform/read-models/views/views.ts';

/**
 * An earlier position as the present of a request that is answered again. A list over all projects chooses from those that exist today, as they were then:
 * the log has no index of its scopes.
 */
export class PresentViews implements Views {
  private readonly then: Views;

  constructor(
    private readonly views: ViewsAt,
    private readonly n: number,
  ) {
    this.then = views.asOf(n);
  }

  position(): number {
    return this.n;
  }

  prefetch(scope: string, views: readonly View[]): void {
    this.then.prefetch(scope, views);
  }

  get<Row extends object>(view: View<Row>, key: string): Promise<Row | null> {
    return this.then.get(view, key);
  }

  across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>> {
    return this.then.across(views, key);
  }

  many<Row extends object>(view: View<Row>, keys: readonly string[], parked?: ParkedRows): Promise<ReadonlyMap<string, Row>> {
    return this.then.many(view, keys, parked);
  }

  async list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras> = {},
  ): Promise<readonly ListItem<Row>[]> {
    if (query.scope !== undefined) return this.then.list(view, query);
    const today = await this.views.now().list(view, { parked: 'as before' });
    const keys = today.map(({ key }) => key);
    const [rows, ...also] = await Promise.all([
      this.then.many(view, keys, query.parked),
      ...(query.also ?? []).map(async (other) => [other.view, await this.then.many(other.view, keys, 'as before')] as const),
    ]);
    const items = [...rows].map(([key, row]) => ({ key, row }));
    const others = new Map<View, ReadonlyMap<string, object>>(also);
    // Cast: rows of the view.
    return listRows(view, items, query, (other) => others.get(other) ?? new Map()) as readonly ListItem<Row>[];
  }

  async count<Row extends object, Extras extends Columns<Row>>(view: View<Row, Extras>, query: ListQuery<Extras>): Promise<number> {
    return (await this.list(view, query)).length;
  }

  firsts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    groups: readonly string[],
    query: Pick<ListQuery<Extras>, 'scope' | 'also' | 'order' | 'parked'>,
  ): Promise<ReadonlyMap<string, Row>> {
    return this.then.firsts(view, column, groups, query);
  }

  counts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    values: readonly string[],
    scope: string,
  ): Promise<ReadonlyMap<string, number>> {
    return this.then.counts(view, column, values, scope);
  }
}
