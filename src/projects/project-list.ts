import { Injectable } from '@nestjs/common';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { PastProjectsReader } from './past-projects.reader.ts';
import { type ProjectFilter, type ProjectPage, ProjectListReader } from './project-list.reader.ts';
import type { ProjectRow } from './project.view.ts';
import { currentAsOf, requestNow, runNow } from '../platform/http/as-of/as-of.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { type ItemPosition, type ListRequest, readSort } from '../platform/http/lists/list.ts';
import type { ListedStatus } from './project.api.ts';
import { type ProjectFacts, ProjectFindings } from './project.presenter.ts';

export interface ListedProject {
  readonly row: ProjectRow;
  readonly facts: ProjectFacts;
  /** The row of today, by which the caller has rights. */
  readonly today: ProjectRow;
}

/** Projects whose facts are parked are left out of a page, which is filled up from so many others. */
const MAX_PAGES = 50;
const DEFAULT_LIMIT = 100;

/** Lists the caller's projects (docs/spec/decisions.md#P13). */
@Injectable()
export class ProjectList {
  constructor(
    private readonly list: ProjectListReader,
    private readonly past: PastProjectsReader,
    private readonly views: ViewsAt,
    private readonly findings: ProjectFindings,
  ) {}

  /** `ids`: of these projects only; `tags`: of those that have all of these. */
  async page(
    principal: Principal,
    { limit, sort, after: given, status: wanted, search }: ListRequest,
    { ids, tags }: { readonly ids?: readonly string[]; readonly tags?: readonly string[] } = {},
  ): Promise<{ readonly projects: readonly ListedProject[]; readonly parked: readonly string[]; readonly end: ItemPosition | null }> {
    const found: ListedProject[] = [];
    const unreadable: string[] = [];
    // Cast: a word of the list.
    const status = wanted as ListedStatus | null;
    const wantedItems = limit ?? DEFAULT_LIMIT;
    const { by, direction } = readSort(sort);
    // Cast: the other words of the list.
    const order = by === 'id' ? { direction } : { by: by as 'title' | 'created', direction };
    let after = given;
    // As of an instant a page bounds its work itself.
    const maxPages = currentAsOf() === undefined ? MAX_PAGES : 1;
    for (let page = 0; page < maxPages && found.length < wantedItems; page++) {
      const { projects, parked, end, today } = await this.found({
        ...readableBy(principal, ids),
        search,
        ...(tags !== undefined && { tags }),
        status: status === 'unknown' ? null : (status ?? undefined),
        order,
        after,
        limit: wantedItems - found.length,
      });
      const listed = await this.withFacts(projects, today);
      found.push(...listed.known);
      unreadable.push(...parked, ...listed.parked);
      after = end;
      if (end === null) break;
    }
    return { projects: found, parked: unreadable, end: after };
  }

  /** Those of these projects that the caller may read, in the order of their ids, without facts. */
  async readable(principal: Principal, ids: readonly string[]): Promise<readonly ProjectRow[]> {
    const { projects } = await this.found({ ...readableBy(principal, ids), search: null, after: null, limit: ids.length });
    return projects;
  }

  private async found(filter: ProjectFilter): Promise<ProjectPage & { readonly today?: ReadonlyMap<string, ProjectRow> }> {
    const asOf = currentAsOf();
    if (asOf === undefined) return this.list.page(filter);
    return this.past.page(
      filter,
      runNow(() => this.views.now()),
      asOf.views,
    );
  }

  private async withFacts(
    rows: readonly ProjectRow[],
    today?: ReadonlyMap<string, ProjectRow>,
  ): Promise<{ readonly known: readonly ListedProject[]; readonly parked: readonly string[] }> {
    const ids = rows.map(({ id }) => id);
    const facts = await this.findings.ofAll(this.views.now(), rows, requestNow());
    const known = rows.flatMap((row): readonly ListedProject[] => {
      const found = facts.get(row.id);
      return found === undefined ? [] : [{ row, facts: found, today: today?.get(row.id) ?? row }];
    });
    return { known, parked: ids.filter((id) => !facts.has(id)) };
  }
}

/** The projects that a caller may read, of these or of all. */
export function readableBy(
  { systemRole, userId, limits, service }: Principal,
  ids?: readonly string[],
): Pick<ProjectFilter, 'memberId' | 'ids'> {
  const named = limits?.projects ?? null;
  const wanted = ids === undefined ? named : named === null ? ids : ids.filter((id) => named.has(id));
  return {
    memberId: systemRole === 'auditor' || isOfProject({ service }) ? null : userId,
    ...(wanted !== null && { ids: [...wanted] }),
  };
}

/** A service account of a project, whose limits name the project. */
const isOfProject = ({ service }: Pick<Principal, 'service'>): boolean => service !== undefined && service.projectId !== null;
