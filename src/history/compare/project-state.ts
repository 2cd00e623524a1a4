import type { LogEvent } from '../../kernel/event.ts';
import { areaView } from '../../projects/areas/area.view.ts';
import { certificateView } from '../../watches/certificate/certificate.view.ts';
import { checkView } from '../../projects/checks/check.view.ts';
import type { ListItem, Views } from '../../platform/read-models/views/views.ts';
import { projectView } from '../../projects/project.view.ts';
import { redirectView } from '../../watches/redirect/redirect.view.ts';
import { serviceAccountView } from '../../projects/service-accounts/service-account.view.ts';
import { standingView } from '../../projects/standing.view.ts';
import { verdictView } from '../../checker/verdicts/verdict.view.ts';

/** How a view folds an event. */
interface Fold<Row> {
  key(event: LogEvent): string | null;
  evolve(row: Row | null, event: LogEvent): Row | null;
}

/** The rows of one view in memory. */
class RowSet<Row extends object> {
  private readonly rows: Map<string, Row>;

  constructor(
    private readonly view: Fold<Row>,
    items: readonly ListItem<Row>[],
  ) {
    this.rows = new Map(items.map(({ key, row }) => [key, row]));
  }

  get(key: string): Row | null {
    return this.rows.get(key) ?? null;
  }

  all(): readonly Row[] {
    return [...this.rows.values()];
  }

  keys(): readonly string[] {
    return [...this.rows.keys()];
  }

  /** The row that the event is about; null: none of this view. */
  keyOf(event: LogEvent): string | null {
    return this.view.key(event);
  }

  apply(event: LogEvent): void {
    const key = this.view.key(event);
    if (key === null) return;
    const after = this.view.evolve(this.get(key), event);
    if (after === null) this.rows.delete(key);
    else this.rows.set(key, after);
  }
}

const rowSet = async <Row extends object>(view: Fold<Row>, items: Promise<readonly ListItem<Row>[]>): Promise<RowSet<Row>> =>
  new RowSet(view, await items);

/** The compared rows of a project as of an instant, to which later events can be applied. */
export async function readComparedState(views: Views, scope: string) {
  // At once, so that one fold answers all of them.
  const [project, areas, checks, verdicts, certificate, redirect, standing, serviceAccounts] = await Promise.all([
    rowSet(projectView, views.list(projectView, { scope })),
    rowSet(areaView, views.list(areaView, { scope })),
    rowSet(checkView, views.list(checkView, { scope })),
    rowSet(verdictView, views.list(verdictView, { scope })),
    rowSet(certificateView, views.list(certificateView, { scope })),
    rowSet(redirectView, views.list(redirectView, { scope })),
    rowSet(standingView, views.list(standingView, { scope })),
    rowSet(serviceAccountView, views.list(serviceAccountView, { scope })),
  ]);
  return { project, areas, checks, verdicts, certificate, redirect, standing, serviceAccounts };
}

export type ProjectState = Awaited<ReturnType<typeof readComparedState>>;

export function applyEvent(state: ProjectState, event: LogEvent): void {
  for (const rows of Object.values(state)) rows.apply(event);
}
