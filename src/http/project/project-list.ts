import { Inject, Injectable } from '@nestjs/common';
import { InspectionStore } from '../../observations/inspections/inspection-store.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { ProjectListReader } from '../../projections/read-models/project/project-list.reader.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import type { Principal } from '../context/principal.ts';
import { decodeCursor, encodeCursor } from '../presentation/page.ts';
import type { ListProjectsDto } from './list-projects.dto.ts';
import { factsOf, type ProjectFacts } from './project-facts.ts';

export interface ListedProject {
  readonly row: ProjectRow;
  readonly facts: ProjectFacts;
}

/** A filter on what only the facts tell reads page after page until it has enough, or has looked at this many. */
const MAX_PAGES = 50;

/** docs/spec/decisions.md#P13. */
@Injectable()
export class ProjectList {
  constructor(
    @Inject(ProjectListReader) private readonly list: ProjectListReader,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(InspectionStore) private readonly looks: InspectionStore,
  ) {}

  async page(
    principal: Principal,
    dto: ListProjectsDto,
  ): Promise<{ readonly projects: readonly ListedProject[]; readonly parked: readonly string[]; readonly nextCursor: string | null }> {
    const found: ListedProject[] = [];
    const notReadable: string[] = [];
    let after = dto.cursor === undefined ? null : decodeCursor(dto.cursor, readPlace);
    for (let page = 0; page < MAX_PAGES && found.length < dto.limit; page++) {
      const { projects, parked, next } = await this.list.page({
        memberId: principal.systemRole === 'auditor' ? null : principal.userId,
        search: dto.search ?? null,
        after,
        limit: dto.limit - found.length,
      });
      const listed = await this.withFacts(projects);
      found.push(...listed.known.filter(({ facts }) => dto.status === undefined || dto.status === (facts.status ?? 'unknown')));
      notReadable.push(...parked, ...listed.parked);
      after = next;
      if (next === null) break;
    }
    return { projects: found, parked: notReadable, nextCursor: after === null ? null : encodeCursor({ after }) };
  }

  private async withFacts(
    rows: readonly ProjectRow[],
  ): Promise<{ readonly known: readonly ListedProject[]; readonly parked: readonly string[] }> {
    const ids = rows.map(({ id }) => id);
    const facts = await factsOf(this.views.now(), ids, this.looks);
    const known = rows.flatMap((row): readonly ListedProject[] => {
      const found = facts.get(row.id);
      return found === undefined ? [] : [{ row, facts: found }];
    });
    return { known, parked: ids.filter((id) => !facts.has(id)) };
  }
}

const readPlace = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'after' in value && typeof value.after === 'string' ? value.after : null;
