import type { Columns, View } from '../../src/platform/read-models/authoring/define-view.ts';
import type { ListItem, ListQuery, Views } from '../../src/platform/read-models/views/views.ts';

/** Answers `count`, `firsts` and `counts` of `Views` by lists, for rows that are in memory. */
export abstract class ListedViews implements Pick<Views, 'list' | 'count' | 'firsts' | 'counts' | 'prefetch'> {
  abstract list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query?: ListQuery<Extras>,
  ): Promise<readonly ListItem<Row>[]>;

  prefetch(): void {
    // Every read folds by itself.
  }

  async count<Row extends object, Extras extends Columns<Row>>(view: View<Row, Extras>, query: ListQuery<Extras>): Promise<number> {
    return (await this.list(view, query)).length;
  }

  async firsts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    groups: readonly string[],
    query: Pick<ListQuery<Extras>, 'scope' | 'also' | 'order' | 'parked'>,
  ): Promise<ReadonlyMap<string, Row>> {
    const found = new Map<string, Row>();
    for (const group of groups) {
      const [first] = await this.itemsWith(view, column, group, { ...query, limit: 1 });
      if (first !== undefined) found.set(group, first.row);
    }
    return found;
  }

  async counts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    values: readonly string[],
    scope: string,
  ): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const value of values) found.set(value, (await this.itemsWith(view, column, value, { scope, parked: 'as before' })).length);
    return found;
  }

  private itemsWith<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: string,
    value: string,
    query: ListQuery<Extras>,
  ): Promise<readonly ListItem<Row>[]> {
    // Cast: a condition on a text column of the view.
    return this.list(view, { ...query, where: { [column]: { eq: value } } as NonNullable<ListQuery<Extras>['where']> });
  }
}
