import type { LogEvent } from '../../src/kernel/event.ts';
import type { Columns, View } from '../../src/platform/read-models/authoring/define-view.ts';
import { ListedViews } from '../support/listed-views.ts';
import { listRows } from '../../src/platform/read-models/views/list-rows.ts';
import type { ListItem, ListQuery, RowsOf, Views, ViewsAt } from '../../src/platform/read-models/views/views.ts';
import { upcast } from '../../src/events.ts';

interface Folded {
  next: number;
  readonly rows: Map<string, object>;
  /** The user of a row, by its key. */
  readonly scopes: Map<string, string>;
}

/** Views that are folded incrementally at each read. */
export class SimViews extends ListedViews implements Views, ViewsAt {
  private readonly folded = new Map<View, Folded>();

  constructor(private readonly events: readonly LogEvent[]) {
    super();
  }

  now(): Views {
    return this;
  }

  asOf(): Views {
    throw new Error('asOf is not simulated');
  }

  snapshot<T>(work: (views: Views) => Promise<T>): Promise<T> {
    return work(this);
  }

  position(): number {
    return this.events.length - 1;
  }

  async get<Row extends object>(view: View<Row>, key: string): Promise<Row | null> {
    return (await this.many(view, [key])).get(key) ?? null;
  }

  async across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>> {
    return (await Promise.all(views.map((view) => this.get(view, key)))) as unknown as RowsOf<Wanted>;
  }

  async many<Row extends object>(view: View<Row>, keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    await Promise.resolve();
    const { rows } = this.fold(view);
    return new Map(
      keys.flatMap((key) => {
        const row = rows.get(key);
        return row === undefined ? [] : [[key, row] as const];
      }),
    );
  }

  async list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras> = {},
  ): Promise<readonly ListItem<Row>[]> {
    await Promise.resolve();
    const { rows, scopes } = this.fold(view);
    const items: ListItem<Row>[] = [];
    for (const [key, row] of rows) if (isInScope(scopes.get(key), query)) items.push({ key, row });
    return listRows(view, items, query, (other) => this.fold(other).rows).flatMap(({ key }) => {
      const row = rows.get(key);
      return row === undefined ? [] : [{ key, row }];
    });
  }

  private fold<Row extends object>(view: View<Row>): { readonly rows: ReadonlyMap<string, Row>; readonly scopes: Folded['scopes'] } {
    const known = this.folded.get(view) ?? { next: 0, rows: new Map<string, object>(), scopes: new Map<string, string>() };
    this.folded.set(view, known);
    // Stored by the view that they belong to.
    const rows = known.rows as Map<string, Row>;
    for (; known.next < this.events.length; known.next++) {
      const event = this.events[known.next];
      const today = event === undefined ? null : upcast(event);
      const key = today === null ? null : view.key(today);
      if (today === null || key === null) continue;
      const row = view.evolve(rows.get(key) ?? null, today);
      known.scopes.set(key, today.scope);
      if (row === null) rows.delete(key);
      else rows.set(key, row);
    }
    return { rows, scopes: known.scopes };
  }
}

const isInScope = (scope = '', query: Pick<ListQuery<object>, 'scope' | 'scopes'>): boolean =>
  (query.scope === undefined || query.scope === scope) && (query.scopes?.includes(scope) ?? true);
