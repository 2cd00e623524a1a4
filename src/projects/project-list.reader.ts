import { Injectable } from '@nestjs/common';
import { readableOf, ViewsAt } from '../platform/read-models/views/views.ts';
import { type PageEnd, pageOfView } from '../platform/read-models/views/view-page.ts';
import type { ProjectStatus } from './standing.view.ts';
import { type ProjectRow, projectView } from './project.view.ts';

export interface ProjectPage {
  readonly projects: readonly ProjectRow[];
  /** Ids of matching projects that cannot be read because an event of theirs is parked. */
  readonly parked: readonly string[];
  /** Null on the last page. */
  readonly end: PageEnd | null;
}

export interface ProjectFilter {
  /** Null for the projects of all users, which a system auditor reads. */
  readonly memberId: number | null;
  /** These projects only, for a token of certain projects. */
  readonly ids?: readonly string[];
  readonly search: string | null;
  /** Those that have all of these tags, in any case. */
  readonly tags?: readonly string[];
  /** Undefined for any status, null for projects that are not checked yet. */
  readonly status?: ProjectStatus | undefined;
  /** Default: by id. */
  readonly order?: { readonly by?: 'title' | 'created'; readonly direction: 'asc' | 'desc' };
  readonly after: PageEnd | null;
  readonly limit: number;
}

/** Pages of projects. */
@Injectable()
export class ProjectListReader {
  constructor(private readonly views: ViewsAt) {}

  async page(filter: ProjectFilter): Promise<ProjectPage> {
    const { items, end } = await pageOfView(this.views.now(), projectView, projectQuery(filter), filter.limit, filter.after);
    const { rows: projects, parked } = readableOf(items);
    return { projects, parked, end };
  }
}

export const projectQuery = ({ memberId, ids, search, tags = [], status, order }: Omit<ProjectFilter, 'after' | 'limit'>) =>
  ({
    ...(ids !== undefined && { keys: ids }),
    where: {
      ...(memberId === null ? {} : { members: { has: memberId } }),
      ...(tags.length === 0 ? {} : { tags: { hasAll: tags.map((tag) => tag.toLowerCase()) } }),
      ...(search === null ? {} : { grams: { mayContain: search }, words: { contains: search } }),
    },
    ...(order !== undefined && { order }),
    parked: 'as before',
    ...(status !== undefined && { summary: { status } }),
  }) as const;
