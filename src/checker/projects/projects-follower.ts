import type { LogEvent } from '../../kernel/event.ts';
import { type Log, LogReplaced } from '../../platform/log/log.ts';
import { numberOfShard, shardNumberOf, shardOf } from '../../platform/observations/shards.ts';
import { type AreaRow, areaView } from '../../projects/areas/area.view.ts';
import { type CheckRow, checkView } from '../../projects/checks/check.view.ts';
import { type ProjectRow, projectView } from '../../projects/project.view.ts';
import { type ListItem, type ListPosition, unlessParked, type Views } from '../../platform/read-models/views/views.ts';
import { OccupiedShards } from './occupied-shards.ts';
import { projectOfScope, WatchedProjects } from './watched-projects.ts';
import { projectStream } from '../../kernel/stream-names.ts';

const PAGE = 1_000;
/** Projects whose groups and checks are read at once. */
const SCOPES = 200;
const POLL_MS = 50;
const RETRY_MS = 2_000;
const REFRESH_MS = 5_000;

export interface ProjectsFollowerOptions {
  readonly views: Views;
  readonly log: Pick<Log, 'follow'>;
  /** Whose shards this checker may take. */
  readonly locations: readonly string[];
  /** A shard has its first project, or has lost its last one. */
  readonly onOccupancy: () => void;
  readonly onChanged: (projectId: string) => void;
  /** Called for every event of the log, after the replica has applied it. */
  readonly onEvent: (event: LogEvent) => void;
  readonly report: (error: unknown, activity: string) => void;
  /** Ends early, without an error, when aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

interface ShardRow {
  readonly id: string;
  readonly projectId?: string;
}

interface ShardRows {
  readonly projects: ProjectRow[];
  readonly areas: AreaRow[];
  readonly checks: CheckRow[];
}

/**
 * Keeps a replica of the projects of the shards that this checker holds: loads those of a shard from the read models when it is taken, and applies the events
 * of the log. Of the other projects it knows only in which shards there are any.
 */
export class ProjectsFollower {
  readonly projects = new WatchedProjects();
  readonly occupied: OccupiedShards;
  private readonly loaded = new Set<string>();
  /** The events of the projects of a shard since its loading began, by shard: they may be missing in the rows. */
  private readonly loading = new Map<string, LogEvent[]>();
  private readonly closing = new AbortController();
  private following: Promise<void> | undefined;
  private refreshing: Promise<void> | undefined;
  /** A project was deleted or moved away: its shard may be empty. */
  private isVacated = false;
  private lookingAgain: Promise<void> | undefined;
  /** Position of the last applied event. */
  private applied = -1;
  /** Scopes with a row as it was before an event that could not be folded (a parked row). */
  private readonly stale = new Set<string>();

  constructor(private readonly options: ProjectsFollowerOptions) {
    this.occupied = new OccupiedShards(options);
  }

  async start(): Promise<void> {
    const position = this.options.views.position();
    this.applied = position;
    await this.occupied.find();
    this.following = this.follow(position);
  }

  /** Loads the projects of a shard, and follows them from then on; returns their ids. Rejects when aborted. */
  async load(shard: string, signal: AbortSignal): Promise<readonly string[]> {
    const since: LogEvent[] = [];
    this.loading.set(shard, since);
    try {
      const { views, sleep } = this.options;
      const { applied } = this;
      while (views.position() < applied && !signal.aborted) await sleep(POLL_MS, signal);
      const rows = await this.rowsOf(shard, signal);
      signal.throwIfAborted();
      // The rows may contain some of these events; applying an event twice is harmless.
      this.loaded.add(shard);
      for (const project of rows.projects) this.projects.putProject(project);
      for (const area of rows.areas) this.projects.putArea(area);
      for (const check of rows.checks) this.projects.putCheck(check);
    } finally {
      if (this.loading.get(shard) === since) this.loading.delete(shard);
    }
    for (const event of since) this.tryApply(event);
    this.refreshSoon();
    return this.projects.inShard(shard);
  }

  /** Forgets the projects of a shard. */
  drop(shard: string): void {
    this.loaded.delete(shard);
    for (const projectId of this.projects.inShard(shard)) {
      this.projects.remove(projectId);
      this.stale.delete(projectStream(projectId));
    }
  }

  private async rowsOf(shard: string, signal: AbortSignal): Promise<ShardRows> {
    const { views } = this.options;
    const rows: ShardRows = { projects: [], areas: [], checks: [] };
    const where = { shard: { eq: shard } };
    for await (const row of this.pages((after) => views.list(projectView, { ...query(after), where }))) rows.projects.push(row);
    for (let from = 0; from < rows.projects.length && !signal.aborted; from += SCOPES) {
      const scopes = rows.projects.slice(from, from + SCOPES).map(({ id }) => projectStream(id));
      const [areas, checks] = await Promise.all([
        views.list(areaView, { scopes, parked: 'as before' }),
        views.list(checkView, { scopes, parked: 'as before' }),
      ]);
      rows.areas.push(...this.noticeParked(areas));
      rows.checks.push(...this.noticeParked(checks));
    }
    return rows;
  }

  /** After the log was replaced by another history, every project is read again, including those that no longer exist. */
  private async restart(): Promise<number> {
    const { views } = this.options;
    const position = views.position();
    this.applied = position;
    this.occupied.forgetPositions();
    await this.occupied.find();
    for (const shard of this.loaded) {
      for (const projectId of this.projects.inShard(shard)) this.stale.add(projectStream(projectId));
      const where = { shard: { eq: shard } };
      for await (const { id } of this.pages((after) => views.list(projectView, { ...query(after), where })))
        this.stale.add(projectStream(id));
    }
    this.refreshSoon();
    return position;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([this.following, this.refreshing, this.lookingAgain]);
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

  private lookAgainSoon(): void {
    if (!this.isVacated || this.closing.signal.aborted) return;
    this.lookingAgain ??= this.findOccupied().finally(() => {
      this.lookingAgain = undefined;
      this.lookAgainSoon();
    });
  }

  /** Once for all projects that are deleted meanwhile, however many they are. */
  private async findOccupied(): Promise<void> {
    const { views, report, sleep } = this.options;
    const { signal } = this.closing;
    this.isVacated = false;
    const { applied } = this;
    try {
      while (views.position() < applied && !signal.aborted) await sleep(POLL_MS, signal);
      if (!signal.aborted) await this.occupied.find();
    } catch (error) {
      this.isVacated = true;
      report(error, 'reading the shards that have projects');
    }
    await sleep(REFRESH_MS, signal);
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
    if (project === null || !this.loaded.has(shardOf(project.settings.location, projectId))) this.projects.remove(projectId);
    else this.projects.replace(projectId, { project, areas: areas.map(({ row }) => row), checks: checks.map(({ row }) => row) });
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
      const projectId = this.tryApply(event);
      if (projectId !== null) changed.add(projectId);
    });
    this.refreshSoon();
    this.lookAgainSoon();
    each(changed, onChanged);
    each(batch, onEvent);
  }

  /** Returns the project of this checker that changed; null if there is none. */
  private tryApply(event: LogEvent): string | null {
    try {
      return event.scope.startsWith(projectStream('')) ? this.applyToProject(projectOfScope(event.scope), event) : null;
    } catch (error) {
      this.stale.add(event.scope);
      this.options.report(error, 'applying an event of the log');
      return null;
    }
  }

  private applyToProject(projectId: string, event: LogEvent): string | null {
    const { projects, loaded, loading, stale } = this;
    const location = newLocationOf(event);
    if (location !== null) this.occupied.add(location, shardOf(location, projectId), event.n);
    if (event.type === 'ProjectDeleted' || event.type === 'LocationChanged') this.isVacated = true;
    for (const [shard, since] of loading) if (numberOfShard(shard) === shardNumberOf(projectId)) since.push(event);
    if (projects.get(projectId) === undefined) {
      if (location === null || !loaded.has(shardOf(location, projectId))) return null;
      // A project that moved here from another location is not known yet.
      if (event.type !== 'ProjectCreated') {
        stale.add(event.scope);
        return null;
      }
    }
    const changed = projects.apply(event);
    const shard = projects.shardOf(projectId);
    if (shard !== undefined && !loaded.has(shard)) projects.remove(projectId);
    return changed;
  }

  private async *pages<Row extends ShardRow>(
    list: (after: ListPosition | undefined) => Promise<readonly ListItem<Row>[]>,
  ): AsyncGenerator<Row> {
    for (let after: ListPosition | undefined; ;) {
      const page = await list(after);
      yield* this.noticeParked(page);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = { key: last.key };
    }
  }

  private noticeParked<Row extends ShardRow>(items: readonly ListItem<Row>[]): readonly Row[] {
    for (const { row, isParked } of items) if (isParked === true) this.stale.add(scopeOf(row));
    return items.map(({ row }) => row);
  }
}

const query = (after: ListPosition | undefined) =>
  ({ limit: PAGE, parked: 'as before', ...(after === undefined ? {} : { after }) }) as const;

const scopeOf = (row: ShardRow): string => projectStream(row.projectId ?? row.id);

/** The location from which the project is checked from now on; null if the event does not say. */
function newLocationOf(event: LogEvent): string | null {
  if (event.type === 'ProjectCreated') return projectView.evolve(null, event)?.settings.location ?? null;
  // Cast: the shape of today's event of this type.
  return event.type === 'LocationChanged' ? (event.data as { readonly to: string }).to : null;
}
