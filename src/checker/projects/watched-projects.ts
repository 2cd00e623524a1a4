import { LRUCache } from 'lru-cache';
import type { LogEvent } from '../../kernel/event.ts';
import { shardOf } from '../../platform/observations/shards.ts';
import { type AreaRow, areaView } from '../../projects/areas/area.view.ts';
import { type CheckRow, checkView } from '../../projects/checks/check.view.ts';
import { type ProjectRow, projectView } from '../../projects/project.view.ts';
import { projectIdOf } from '../../kernel/stream-names.ts';

const DIFFERENT = 2_000;

/**
 * Interning: equal parts of the settings of checks are one object. Most checks have the options and the rules of many others, and a checker holds tens of
 * thousands of checks; rows are never changed, only replaced.
 */
export class SharedSettings {
  private readonly known = new LRUCache<string, object>({ max: DIFFERENT });

  of(check: CheckRow): CheckRow {
    const { rules, options, template } = check.settings;
    const settings = { ...check.settings, rules: this.shared(rules), options: this.shared(options), template: this.shared(template) };
    return { ...check, settings };
  }

  private shared<Part extends object>(part: Part): Part {
    const key = JSON.stringify(part);
    const known = this.known.get(key);
    // Cast: it was stringified to the same text.
    if (known !== undefined) return known as Part;
    this.known.set(key, part);
    return part;
  }
}

export interface WatchedProject {
  readonly project: ProjectRow;
  readonly areas: ReadonlyMap<string, AreaRow>;
  readonly checks: ReadonlyMap<string, CheckRow>;
}

interface MutableProject {
  project: ProjectRow;
  shard: string;
  readonly areas: Map<string, AreaRow>;
  readonly checks: Map<string, CheckRow>;
}

/** An in-memory replica of projects with their areas and checks, by the same folds as the read models. */
export class WatchedProjects {
  private readonly projects = new Map<string, MutableProject>();
  private readonly projectOf = new Map<string, string>();
  private readonly byShard = new Map<string, Set<string>>();
  private readonly shared = new SharedSettings();

  get(projectId: string): WatchedProject | undefined {
    return this.projects.get(projectId);
  }

  ids(): Iterable<string> {
    return this.projects.keys();
  }

  inShard(shard: string): readonly string[] {
    return [...(this.byShard.get(shard) ?? [])];
  }

  /** Undefined for an unknown project. */
  shardOf(projectId: string): string | undefined {
    return this.projects.get(projectId)?.shard;
  }

  get size(): number {
    return this.projects.size;
  }

  putProject(project: ProjectRow): void {
    const known = this.projects.get(project.id);
    const shard = shardOf(project.settings.location, project.id);
    if (known?.shard !== shard) this.moveToShard(project.id, known?.shard, shard);
    if (known === undefined) this.projects.set(project.id, { project, shard, areas: new Map(), checks: new Map() });
    else Object.assign(known, { project, shard });
  }

  putArea(area: AreaRow): void {
    this.projects.get(area.projectId)?.areas.set(area.id, area);
    this.projectOf.set(area.id, area.projectId);
  }

  putCheck(check: CheckRow): void {
    this.projects.get(check.projectId)?.checks.set(check.id, this.shared.of(check));
    this.projectOf.set(check.id, check.projectId);
  }

  /** Replaces a project by what the read models hold; a null project removes it. */
  replace(
    projectId: string,
    rows: { readonly project: ProjectRow | null; readonly areas: readonly AreaRow[]; readonly checks: readonly CheckRow[] },
  ): void {
    const known = this.projects.get(projectId);
    for (const id of [...(known?.areas.keys() ?? []), ...(known?.checks.keys() ?? [])]) this.projectOf.delete(id);
    this.projects.delete(projectId);
    this.moveToShard(projectId, known?.shard, undefined);
    if (rows.project === null) return;
    this.putProject(rows.project);
    for (const area of rows.areas) this.putArea(area);
    for (const check of rows.checks) this.putCheck(check);
  }

  remove(projectId: string): void {
    this.replace(projectId, { project: null, areas: [], checks: [] });
  }

  /** Returns the id of the changed project; null if the event concerns none. */
  apply(event: LogEvent): string | null {
    const projectId = projectView.key(event);
    if (projectId !== null) return this.applyToProject(projectId, event);
    const areaId = areaView.key(event);
    if (areaId !== null) return this.applyToArea(areaId, event);
    const checkId = checkView.key(event);
    return checkId === null ? null : this.applyToCheck(checkId, event);
  }

  private moveToShard(projectId: string, from: string | undefined, to: string | undefined): void {
    const former = from === undefined ? undefined : this.byShard.get(from);
    former?.delete(projectId);
    if (from !== undefined && former?.size === 0) this.byShard.delete(from);
    if (to === undefined) return;
    const now = this.byShard.get(to);
    if (now === undefined) this.byShard.set(to, new Set([projectId]));
    else now.add(projectId);
  }

  private applyToProject(projectId: string, event: LogEvent): string | null {
    const row = projectView.evolve(this.projects.get(projectId)?.project ?? null, event);
    if (row === null) this.remove(projectId);
    else this.putProject(row);
    return projectId;
  }

  private applyToArea(areaId: string, event: LogEvent): string | null {
    const projectId = this.projectOf.get(areaId) ?? projectOfScope(event.scope);
    const known = this.projects.get(projectId);
    const row = areaView.evolve(known?.areas.get(areaId) ?? null, event);
    if (row !== null) this.putArea(row);
    else {
      known?.areas.delete(areaId);
      this.projectOf.delete(areaId);
    }
    return projectId;
  }

  private applyToCheck(checkId: string, event: LogEvent): string | null {
    const projectId = this.projectOf.get(checkId) ?? projectOfScope(event.scope);
    const known = this.projects.get(projectId);
    const row = checkView.evolve(known?.checks.get(checkId) ?? null, event);
    if (row !== null) this.putCheck(row);
    else {
      known?.checks.delete(checkId);
      this.projectOf.delete(checkId);
    }
    return projectId;
  }
}

export const projectOfScope = (scope: string): string => projectIdOf(scope);

/** The enabled checks of an area, or of the whole project, in their order. */
export const enabledChecks = ({ checks }: WatchedProject, areaId: string | null = null): readonly CheckRow[] =>
  [...checks.values()]
    .filter((check) => check.settings.enabled && (areaId === null || check.areaId === areaId))
    .sort((a, b) => a.order - b.order);
