import type { LogEvent } from '../../src/kernel/event.ts';
import type { Columns, View } from '../../src/platform/read-models/authoring/define-view.ts';
import { withSummaries } from '../../src/platform/read-models/authoring/summary.ts';
import { ListedViews } from './listed-views.ts';
import { listRows } from '../../src/platform/read-models/views/list-rows.ts';
import type { ListItem, ListQuery, RowsOf, Views, ViewsAt } from '../../src/platform/read-models/views/views.ts';
import { upcast } from '../../src/events.ts';

/** Views over events in memory, folded anew at each read, for tests of queries. */
export class MemoryViews extends ListedViews implements Views, ViewsAt {
  constructor(private readonly events: () => readonly LogEvent[]) {
    super();
  }

  now(): Views {
    return this;
  }

  asOf(n: number): Views {
    return new MemoryViews(() => this.events().slice(0, n + 1));
  }

  snapshot<T>(work: (views: Views) => Promise<T>): Promise<T> {
    return work(this);
  }

  position(): number {
    return this.events().length - 1;
  }

  async get<Row extends object>(view: View<Row>, key: string): Promise<Row | null> {
    await Promise.resolve();
    return this.fold(view).get(key) ?? null;
  }

  async across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>> {
    return (await Promise.all(views.map((view) => this.get(view, key)))) as unknown as RowsOf<Wanted>;
  }

  async many<Row extends object>(view: View<Row>, keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    await Promise.resolve();
    return new Map([...this.fold(view)].filter(([key]) => keys.includes(key)));
  }

  async list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras> = {},
  ): Promise<readonly ListItem<Row>[]> {
    await Promise.resolve();
    const rows = this.fold(view, query.scope === undefined ? query.scopes : [query.scope]);
    const items = [...rows].map(([key, row]) => ({ key, row }));
    return listRows(view, items, query, (other) => this.fold(other)).flatMap(({ key }) => {
      const row = rows.get(key);
      return row === undefined ? [] : [{ key, row }];
    });
  }

  /** Rows that a view only summarizes stay as before an event that cannot be applied to them. */
  private fold<Row extends object>(view: View<Row>, scopes?: readonly string[], isSummarized = false): Map<string, Row> {
    const rows = new Map<string, Row>();
    for (const event of this.events().map(upcast)) {
      const key = scopes?.includes(event.scope) === false ? null : view.key(event);
      if (key === null || (isSummarized && !isReadable(view, rows.get(key) ?? null, event))) continue;
      const row = view.evolve(rows.get(key) ?? null, event);
      if (row === null) rows.delete(key);
      else rows.set(key, row);
    }
    if (view.summaries === null) return rows;
    const scoped = (of: View, key: string) => this.fold(of, [`${view.scope}-${key}`], true).values();
    return new Map([...rows].map(([key, row]) => [key, withSummaries(view, key, row, (of) => scoped(of, key))]));
  }
}

function isReadable<Row extends object>(view: View<Row>, row: Row | null, event: LogEvent): boolean {
  try {
    view.evolve(row, event);
    return true;
  } catch {
    return false;
  }
}
