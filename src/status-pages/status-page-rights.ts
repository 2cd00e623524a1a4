import { Injectable } from '@nestjs/common';
import { type StatusItem, projectsOf } from './status-page.settings.ts';
import { projectStream } from '../kernel/stream-names.ts';
import { OBJECT_ID } from '../kernel/ids.ts';
import { areaView } from '../projects/areas/area.view.ts';
import { checkView } from '../projects/checks/check.view.ts';
import { type ProjectRow, projectView } from '../projects/project.view.ts';
import { type StatusPageRow, statusPageView } from './status-page.view.ts';
import { type Views, ViewsAt } from '../platform/read-models/views/views.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { runNow } from '../platform/http/as-of/as-of.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { Forbidden, NotFound } from '../platform/http/errors/refusals.ts';
import { accessOf, mayUse } from '../accounts/rights/project-rights.ts';
import { coversProject } from '../accounts/rights/scopes.ts';
import { MOST_CHECKS } from './item-reading.ts';
import type { StatusItemInput } from './status-page.dto.ts';

/** A page is edited by those who may edit every project that it shows; one of them is enough to delete it. */
@Injectable()
export class StatusPageRights {
  constructor(private readonly views: ViewsAt) {}

  /** A page that the caller may not edit is answered as an unknown one. Rights are those of today, whatever instant is asked about. */
  async requirePage(principal: Principal, pageId: string, wanted: 'edit' | 'delete' = 'edit'): Promise<StatusPageRow> {
    const page = OBJECT_ID.test(pageId) ? await this.now().get(statusPageView, pageId) : null;
    if (page === null) throw unknownPage();
    const projects = await this.now().many(projectView, projectsOf(page.settings), 'as before');
    if (!mayEditPage(principal, page, projects, wanted)) throw unknownPage();
    return page;
  }

  async pagesOf(principal: Principal): Promise<readonly StatusPageRow[]> {
    const rows = (await this.views.now().list(statusPageView, { order: { by: 'order' }, parked: 'as before' })).map(({ row }) => row);
    const projects = await this.now().many(projectView, [...new Set(rows.flatMap(({ settings }) => projectsOf(settings)))], 'as before');
    return rows.filter((page) => mayEditPage(principal, page, projects, 'edit'));
  }

  /** The projects of the items; refuses one that the caller may not edit as an unknown one. */
  async resolved(principal: Principal, items: readonly StatusItemInput[]): Promise<readonly StatusItem[]> {
    const named = items.map(namedBy);
    const [areas, checks] = await Promise.all([
      this.now().many(areaView, idsOf(named, 'group')),
      this.now().many(checkView, idsOf(named, 'check')),
    ]);
    const found = named.map((item) => ({
      ...item,
      projectId:
        item.kind === 'project' ? item.id : ((item.kind === 'group' ? areas.get(item.id) : checks.get(item.id))?.projectId ?? null),
    }));
    const projects = await this.now().many(projectView, [...new Set(found.flatMap(({ projectId }) => projectId ?? []))]);
    const resolved = found.map(({ projectId, ...item }) => {
      const row = projectId === null ? undefined : projects.get(projectId);
      if (row === undefined || !mayEditProject(principal, row)) throw new Forbidden();
      return { ...item, projectId: row.id };
    });
    await this.requireFewChecks(resolved);
    return resolved;
  }

  /** Bounds what one reading of a page reads. */
  private async requireFewChecks(items: readonly StatusItem[]): Promise<void> {
    const groups = items.filter(({ kind }) => kind === 'group');
    const counted = await Promise.all(
      [...new Set(groups.map(({ projectId }) => projectId))].map(async (projectId) => {
        const ids = groups.flatMap((group) => (group.projectId === projectId ? [group.id] : []));
        return [...(await this.now().counts(checkView, 'runs', ids, projectStream(projectId))).values()];
      }),
    );
    const checks = items.filter(({ kind }) => kind === 'check').length + counted.flat().reduce((sum, count) => sum + count, 0);
    if (checks > MOST_CHECKS)
      throw new InvalidInput(
        `groups: a page may show at most ${String(MOST_CHECKS)} checks, in its groups and alone; found ${String(checks)}`,
      );
  }

  private now(): Views {
    return runNow(() => this.views.now());
  }
}

const unknownPage = (): Error => new NotFound('The status page was not found.');

type Named = Pick<StatusItem, 'name' | 'kind' | 'id'>;

function namedBy({ name, project, group, check }: StatusItemInput): Named {
  const targets = [
    { kind: 'project', id: project },
    { kind: 'group', id: group },
    { kind: 'check', id: check },
  ] as const;
  const [only, ...others] = targets.flatMap(({ kind, id }) => (id === undefined ? [] : [{ kind, id }]));
  if (only === undefined || others.length > 0)
    throw new InvalidInput(`groups: the item "${name}" must name exactly one of project, group and check`);
  return { name, ...only };
}

const idsOf = (named: readonly Named[], wanted: Named['kind']): readonly string[] =>
  named.flatMap(({ kind, id }) => (kind === wanted ? [id] : []));

const mayEditProject = (principal: Principal, row: ProjectRow): boolean =>
  coversProject(principal, row.id) && mayUse(accessOf(row.id, row, principal), 'edit', principal);

/** Projects that were deleted since ask for no right; without any other the page is that of the account that changed it last. */
function mayEditPage(
  principal: Principal,
  { settings, by }: StatusPageRow,
  projects: ReadonlyMap<string, ProjectRow>,
  wanted: 'edit' | 'delete',
): boolean {
  const rows = projectsOf(settings).flatMap((projectId) => projects.get(projectId) ?? []);
  if (rows.length === 0) return principal.userId === by && principal.limits === null && principal.systemRole !== 'auditor';
  return wanted === 'delete' ? rows.some((row) => mayEditProject(principal, row)) : rows.every((row) => mayEditProject(principal, row));
}
