import { Inject, Injectable } from '@nestjs/common';
import { readableOf, VIEWS_AT, type ViewsAt } from '../../views/views.ts';
import type { ProjectStatus } from '../standing/standing.view.ts';
import { type ProjectRow, projectView } from './project.view.ts';

export interface ProjectPage {
  readonly projects: readonly ProjectRow[];
  /** Ids of matching projects that cannot be read because an event of theirs is parked. */
  readonly parked: readonly string[];
  /** The id after which the next page begins; null on the last one. */
  readonly next: string | null;
}

export interface ProjectFilter {
  /** Null: the projects of all users, for a system auditor. */
  readonly memberId: number | null;
  readonly search: string | null;
  /** Undefined: any. Null: not checked yet. */
  readonly status?: ProjectStatus | undefined;
  readonly after: string | null;
  readonly limit: number;
}

/** Pages of projects in the order of their ids. */
@Injectable()
export class ProjectListReader {
  constructor(@Inject(VIEWS_AT) private readonly views: ViewsAt) {}

  async page({ memberId, search, status, after, limit }: ProjectFilter): Promise<ProjectPage> {
    const items = await this.views.now().list(projectView, {
      ...(memberId === null ? {} : { where: { members: { has: memberId } } }),
      ...(search === null ? {} : { anyOf: [{ title: { contains: search } }, { url: { contains: search } }] }),
      ...(status === undefined ? {} : { summary: { status } }),
      ...(after === null ? {} : { after: { key: after } }),
      limit: limit + 1,
      parked: 'as before',
    });
    const page = items.slice(0, limit);
    const { rows: projects, parked } = readableOf(page);
    return { projects, parked, next: items.length > limit ? (page.at(-1)?.key ?? null) : null };
  }
}
