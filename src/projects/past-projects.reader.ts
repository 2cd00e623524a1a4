import { Injectable } from '@nestjs/common';
import { InvalidInput } from '../kernel/errors.ts';
import { listRows } from '../platform/read-models/views/list-rows.ts';
import { type PageEnd, pageOfView, positionIn } from '../platform/read-models/views/view-page.ts';
import { type ListItem, listPositionOf, unlessParked, type Views } from '../platform/read-models/views/views.ts';
import { type ProjectFilter, type ProjectPage, projectQuery } from './project-list.reader.ts';
import { type ProjectRow, projectView } from './project.view.ts';

/** The projects that may be read today, which a page chooses from. */
interface Candidates {
  readonly items: readonly ListItem<ProjectRow>[];
  readonly parked: readonly string[];
  /** Today's rows, by id. */
  readonly today: ReadonlyMap<string, ProjectRow>;
}

export interface PastProjectPage extends ProjectPage {
  /** Today's rows, by id: the caller has the rights of today. */
  readonly today: ReadonlyMap<string, ProjectRow>;
}

const CHUNK = 100;
/** Projects that are folded for one page: a page may end early, and a longer list cannot be sorted by a title that changes. */
const MAX_FOLDED = 1_000;

/** Pages of projects as of an instant: those that existed then and had the caller as a member, and that the caller may read today. */
@Injectable()
export class PastProjectsReader {
  page(filter: ProjectFilter, today: Views, then: Views): Promise<PastProjectPage> {
    return filter.order?.by === 'title' ? this.byTitle(filter, today, then) : this.inOrderOfToday(filter, today, then);
  }

  /** Neither the id nor the creation of a project changes, so that today's order is that of then. */
  private async inOrderOfToday(filter: ProjectFilter, today: Views, then: Views): Promise<PastProjectPage> {
    const { limit } = filter;
    const isFiltered = filter.search !== null || filter.status !== undefined || (filter.tags ?? []).length > 0;
    const found: ListItem<ProjectRow>[] = [];
    const parked: string[] = [];
    const rowsOfToday = new Map<string, ProjectRow>();
    let after: PageEnd | null = filter.after;
    for (let left = MAX_FOLDED; left > 0;) {
      // One more than the page says whether another follows.
      const chunk = isFiltered ? CHUNK : Math.min(CHUNK, limit + 1 - found.length);
      left -= chunk;
      const { items, end } = await pageOfView(today, projectView, mayRead(filter), chunk, after);
      const candidates = await this.folded(items, then);
      parked.push(...candidates.parked);
      for (const [id, row] of candidates.today) rowsOfToday.set(id, row);
      found.push(...matching(candidates.items, projectQuery(filter)));
      after = end;
      if (found.length > limit || end === null) return { ...pageOfFound(found, filter), parked, today: rowsOfToday };
    }
    return { ...pageOfFound(found, filter), parked, today: rowsOfToday, end: after };
  }

  private async byTitle(filter: ProjectFilter, today: Views, then: Views): Promise<PastProjectPage> {
    const { items, end } = await pageOfView(today, projectView, { ...mayRead(filter), order: {} }, MAX_FOLDED, null);
    if (end !== null)
      throw new InvalidInput(`sort: as of an instant at most ${String(MAX_FOLDED)} projects can be sorted by title; sort by id or created`);
    const candidates = await this.folded(items, then);
    const after = filter.after === null ? {} : { after: positionIn(projectView, filter.after, 'title') };
    const query = { ...projectQuery(filter), ...after, limit: filter.limit + 1 };
    return { ...pageOfFound(matching(candidates.items, query), filter), parked: candidates.parked, today: candidates.today };
  }

  private async folded(items: readonly ListItem<ProjectRow>[], views: Views): Promise<Candidates> {
    const found: ListItem<ProjectRow>[] = [];
    const parked: string[] = [];
    for (const { key } of items) {
      const row = await unlessParked(views.get(projectView, key));
      if (row === 'parked') parked.push(key);
      else if (row !== null) found.push({ key, row });
    }
    return { items: found, parked, today: new Map(items.map(({ key, row }) => [key, row])) };
  }
}

/** What today's rows are chosen by: the other conditions are those of then. */
const mayRead = ({ memberId, ids, order }: ProjectFilter) =>
  projectQuery({ memberId, search: null, ...(ids !== undefined && { ids }), ...(order !== undefined && { order }) });

const matching = (items: readonly ListItem<ProjectRow>[], query: Parameters<typeof listRows>[2]): readonly ListItem<ProjectRow>[] =>
  // Cast: rows of the view.
  listRows(projectView, items, query, () => new Map()) as readonly ListItem<ProjectRow>[];

function pageOfFound(found: readonly ListItem<ProjectRow>[], { limit, order }: ProjectFilter): Pick<ProjectPage, 'projects' | 'end'> {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const projects = page.map(({ row }) => row);
  if (last === undefined || found.length <= limit) return { projects, end: null };
  const { key, value = null } = listPositionOf(projectView, last, order);
  return { projects, end: { key, value } };
}
