import type { LogEvent } from '../../kernel/event.ts';
import { LogReplaced } from '../../log/log.ts';
import type { Log } from '../../log/log.ts';
import { areaView } from '../../projections/read-models/area/area.view.ts';
import { checkView } from '../../projections/read-models/check/check.view.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
import { type ListItem, type ListPosition, unlessParked, type Views } from '../../projections/views/views.ts';
import { projectOfScope, WatchedProjects } from './watched-projects.ts';
import { projectStream } from '../../domain/stream-names.ts';

const PAGE = 1_000;
const RETRY_MS = 2_000;
const REFRESH_MS = 5_000;

export interface ProjectsFollowerOptions {
  readonly views: Views;
  readonly log: Pick<Log, 'follow'>;
  readonly onChanged: (projectId: string) => void;
  /** Called for every event of the log, after the replica has applied it. */
  readonly onEvent: (event: LogEvent) => void;
  readonly report: (error: unknown, activity: string) => void;
  /** Ends early, without an error, when aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Loads the replica of the projects from the read models once, and then applies the events of the log. */
export class ProjectsFollower {
  readonly projects = new WatchedProjects();
  private readonly closing = new AbortController();
  private following: Promise<void> | undefined;
  private refreshing: Promise<void> | undefined;
  /** Position of the last applied event. */
  private applied = -1;
  /** Scopes with a row as it was before an event that could not be folded (a parked row). */
  private readonly stale = new Set<string>();

  constructor(private readonly options: ProjectsFollowerOptions) {}

  async start(): Promise<void> {
    const { views } = this.options;
    // The rows may be ahead of the position; applying an event twice is harmless.
    const position = views.position();
    this.applied = position;
    for await (const row of this.pages((after) => views.list(projectView, query(after)))) this.projects.putProject(row);
    for await (const row of this.pages((after) => views.list(areaView, query(after)))) this.projects.putArea(row);
    for await (const row of this.pages((after) => views.list(checkView, query(after)))) this.projects.putCheck(row);
    this.following = this.follow(position);
    this.refreshSoon();
  }

  /** After the log was replaced by another history, every project is read again, including those that no longer exist. */
  private async restart(): Promise<number> {
    const { views } = this.options;
    const position = views.position();
    this.applied = position;
    for (const projectId of this.projects.ids()) this.stale.add(projectStream(projectId));
    for await (const row of this.pages((after) => views.list(projectView, query(after)))) this.stale.add(scopeOf(row));
    this.refreshSoon();
    return position;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([this.following, this.refreshing]);
  }

  /** Repeats from the last applied event after an error; until then the checks continue with the known settings. */
  private async follow(position: number): Promise<void> {
    const { log, report, sleep } = this.options;
    const { signal } = this.closing;
    let after = position;
    let isReplaced = false;
    while (!signal.aborted) {
      try {
        if (isReplaced) after = await this.restart();
        isReplaced = false;
        for await (const batch of log.follow(after, signal)) {
          this.apply(batch);
          after = batch.at(-1)?.n ?? after;
        }
      } catch (error) {
        report(error, 'following the log');
        await sleep(RETRY_MS, signal);
        isReplaced ||= error instanceof LogReplaced;
      }
    }
  }

  private refreshSoon(): void {
    if (this.stale.size === 0 || this.closing.signal.aborted) return;
    this.refreshing ??= this.refreshStale().finally(() => {
      this.refreshing = undefined;
      // A scope may have become stale since the last round.
      this.refreshSoon();
    });
  }

  /** A project with a parked row is used as it was before, until an operator resolves the parked event. */
  private async refreshStale(): Promise<void> {
    const { report, sleep } = this.options;
    const { signal } = this.closing;
    while (!signal.aborted && this.stale.size > 0) {
      for (const scope of [...this.stale]) {
        try {
          if ((await unlessParked(this.reload(scope))) === true) this.stale.delete(scope);
        } catch (error) {
          report(error, 'reading a project again');
        }
      }
      if (this.stale.size > 0) await sleep(REFRESH_MS, signal);
    }
  }

  /** Returns false if events arrived during the reads, which are then repeated. */
  private async reload(scope: string): Promise<boolean> {
    const { views, onChanged } = this.options;
    const projectId = projectOfScope(scope);
    const { applied } = this;
    const [project, areas, checks] = await Promise.all([
      views.get(projectView, projectId),
      views.list(areaView, { scope }),
      views.list(checkView, { scope }),
    ]);
    if (this.applied !== applied || views.position() < applied) return false;
    this.projects.replace(projectId, { project, areas: areas.map(({ row }) => row), checks: checks.map(({ row }) => row) });
    onChanged(projectId);
    return true;
  }

  private apply(batch: readonly LogEvent[]): void {
    const { onChanged, onEvent, report } = this.options;
    const changed = new Set<string>();
    // One bad event must not keep the others from being applied.
    const each = <Item>(items: Iterable<Item>, work: (item: Item) => void): void => {
      for (const item of items) {
        try {
          work(item);
        } catch (error) {
          report(error, 'applying an event of the log');
        }
      }
    };
    this.applied = batch.at(-1)?.n ?? this.applied;
    each(batch, (event) => {
      try {
        const projectId = this.projects.apply(event);
        if (projectId !== null) changed.add(projectId);
      } catch (error) {
        this.stale.add(event.scope);
        throw error;
      }
    });
    this.refreshSoon();
    each(changed, onChanged);
    each(batch, onEvent);
  }

  private async *pages<Row extends { readonly id: string; readonly projectId?: string }>(
    list: (after: ListPosition | undefined) => Promise<readonly ListItem<Row>[]>,
  ): AsyncGenerator<Row> {
    for (let after: ListPosition | undefined; ;) {
      const page = await list(after);
      for (const { row, isParked } of page) {
        if (isParked === true) this.stale.add(scopeOf(row));
        yield row;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = { key: last.key };
    }
  }
}

const query = (after: ListPosition | undefined) =>
  ({ limit: PAGE, parked: 'as before', ...(after === undefined ? {} : { after }) }) as const;

const scopeOf = (row: { readonly id: string; readonly projectId?: string }): string => projectStream(row.projectId ?? row.id);
