import type { Columns, View } from '../authoring/define-view.ts';
import type { ListItem, ListQuery, Views } from './views.ts';

type Lists = Pick<Views, 'list'>;
type Grouped<Extras> = Pick<ListQuery<Extras>, 'scope' | 'also' | 'order' | 'parked'>;

/** `Views.firsts` where rows are in memory. */
export async function firstsOf<Row extends object, Extras extends Columns<Row>>(
  views: Lists,
  view: View<Row, Extras>,
  column: string,
  groups: readonly string[],
  query: Grouped<Extras>,
): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>();
  for (const group of groups) {
    const [first] = await itemsOf(views, view, column, group, { ...query, limit: 1 });
    if (first !== undefined) found.set(group, first.row);
  }
  return found;
}

/** `Views.counts` where rows are in memory. */
export async function countsOf<Row extends object, Extras extends Columns<Row>>(
  views: Lists,
  view: View<Row, Extras>,
  column: string,
  values: readonly string[],
  scope: string,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const value of values) found.set(value, (await itemsOf(views, view, column, value, { scope, parked: 'as before' })).length);
  return found;
}

const itemsOf = <Row extends object, Extras extends Columns<Row>>(
  views: Lists,
  view: View<Row, Extras>,
  column: string,
  value: string,
  query: ListQuery<Extras>,
): Promise<readonly ListItem<Row>[]> =>
  // Cast: a condition on a text column of the view.
  views.list(view, { ...query, where: { [column]: { eq: value } } as NonNullable<ListQuery<Extras>['where']> });
