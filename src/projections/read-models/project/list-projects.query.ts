import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { readableOf, VIEWS_AT, type ViewsAt } from '../../views/views.ts';
import { type ProjectRow, projectView } from './project.view.ts';

export interface ProjectPage {
  readonly projects: readonly ProjectRow[];
  /** Ids of those that cannot be read, but belonged here before an event of theirs could not be folded. */
  readonly parked: readonly string[];
  /** The id after which the next page begins; null on the last one. */
  readonly next: string | null;
}

export interface ProjectFilter {
  /** Null: the projects of everybody, for a system auditor. */
  readonly memberId: number | null;
  readonly search: string | null;
  readonly after: string | null;
  readonly limit: number;
}

/** The projects that somebody may read, in the order of their ids. */
export class ListProjects extends Query<ProjectPage> {
  constructor(readonly filter: ProjectFilter) {
    super();
  }
}

@QueryHandler(ListProjects)
export class ListProjectsHandler implements IQueryHandler<ListProjects> {
  constructor(@Inject(VIEWS_AT) private readonly views: ViewsAt) {}

  async execute({ filter }: ListProjects): Promise<ProjectPage> {
    const { memberId, search, after, limit } = filter;
    const items = await this.views.now().list(projectView, {
      ...(memberId === null ? {} : { where: { members: { has: memberId } } }),
      ...(search === null ? {} : { anyOf: [{ title: { contains: search } }, { url: { contains: search } }] }),
      ...(after === null ? {} : { after: { key: after } }),
      limit: limit + 1,
      parked: 'as before',
    });
    const page = items.slice(0, limit);
    const { rows: projects, parked } = readableOf(page);
    return { projects, parked, next: items.length > limit ? (page.at(-1)?.key ?? null) : null };
  }
}
