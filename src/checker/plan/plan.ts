import type { LogEvent } from '../../kernel/event.ts';
import { type AreaRow, areaView } from '../../projections/read-models/area/area.view.ts';
import { type CheckRow, checkView } from '../../projections/read-models/check/check.view.ts';
import { type ProjectRow, projectView } from '../../projections/read-models/project/project.view.ts';

/** What is to be looked at, of one project. */
export interface ProjectPlan {
  readonly project: ProjectRow;
  readonly areas: ReadonlyMap<string, AreaRow>;
  readonly checks: ReadonlyMap<string, CheckRow>;
}

interface Kept {
  project: ProjectRow;
  readonly areas: Map<string, AreaRow>;
  readonly checks: Map<string, CheckRow>;
}

/** All projects with their groups and checks, in memory: the same folds as the read models', so that both always say the same. */
export class Plan {
  private readonly projects = new Map<string, Kept>();
  private readonly projectOf = new Map<string, string>();

  get(projectId: string): ProjectPlan | undefined {
    return this.projects.get(projectId);
  }

  ids(): Iterable<string> {
    return this.projects.keys();
  }

  get size(): number {
    return this.projects.size;
  }

  putProject(project: ProjectRow): void {
    const known = this.projects.get(project.id);
    if (known === undefined) this.projects.set(project.id, { project, areas: new Map(), checks: new Map() });
    else known.project = project;
  }

  putArea(area: AreaRow): void {
    this.projects.get(area.projectId)?.areas.set(area.id, area);
    this.projectOf.set(area.id, area.projectId);
  }

  putCheck(check: CheckRow): void {
    this.projects.get(check.projectId)?.checks.set(check.id, check);
    this.projectOf.set(check.id, check.projectId);
  }

  /** What was read of a project in place of what was known; null: it is gone. */
  replace(
    projectId: string,
    read: { readonly project: ProjectRow | null; readonly areas: readonly AreaRow[]; readonly checks: readonly CheckRow[] },
  ): void {
    const known = this.projects.get(projectId);
    for (const id of [...(known?.areas.keys() ?? []), ...(known?.checks.keys() ?? [])]) this.projectOf.delete(id);
    this.projects.delete(projectId);
    if (read.project === null) return;
    this.putProject(read.project);
    for (const area of read.areas) this.putArea(area);
    for (const check of read.checks) this.putCheck(check);
  }

  /** The id of the project that the event changed here, null when it changed nothing. */
  apply(event: LogEvent): string | null {
    const projectId = projectView.key(event);
    if (projectId !== null) return this.applyToProject(projectId, event);
    const areaId = areaView.key(event);
    if (areaId !== null) return this.applyToArea(areaId, event);
    const checkId = checkView.key(event);
    return checkId === null ? null : this.applyToCheck(checkId, event);
  }

  private applyToProject(projectId: string, event: LogEvent): string | null {
    const row = projectView.evolve(this.projects.get(projectId)?.project ?? null, event);
    if (row === null) this.replace(projectId, { project: null, areas: [], checks: [] });
    else this.putProject(row);
    return projectId;
  }

  private applyToArea(areaId: string, event: LogEvent): string | null {
    const projectId = this.projectOf.get(areaId) ?? event.scope.slice('project-'.length);
    const kept = this.projects.get(projectId);
    const row = areaView.evolve(kept?.areas.get(areaId) ?? null, event);
    if (row !== null) this.putArea(row);
    else {
      kept?.areas.delete(areaId);
      this.projectOf.delete(areaId);
    }
    return projectId;
  }

  private applyToCheck(checkId: string, event: LogEvent): string | null {
    const projectId = this.projectOf.get(checkId) ?? event.scope.slice('project-'.length);
    const kept = this.projects.get(projectId);
    const row = checkView.evolve(kept?.checks.get(checkId) ?? null, event);
    if (row !== null) this.putCheck(row);
    else {
      kept?.checks.delete(checkId);
      this.projectOf.delete(checkId);
    }
    return projectId;
  }
}

/** The enabled checks of a group, or of the whole project, in the order in which they were made. */
export const enabledChecks = ({ checks }: ProjectPlan, areaId: string | null = null): readonly CheckRow[] =>
  [...checks.values()]
    .filter((check) => check.settings.enabled && (areaId === null || check.areaId === areaId))
    .sort((a, b) => a.order - b.order);
