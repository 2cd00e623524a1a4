import { Injectable } from '@nestjs/common';
import { type CheckRow, checkView } from './check.view.ts';
import { countedAs, type CountedStatus, standingView } from '../standing.view.ts';
import { type PageEnd, pageOfView } from '../../platform/read-models/views/view-page.ts';
import { alsoIn, type Views, ViewsAt } from '../../platform/read-models/views/views.ts';
import type { ProjectRow } from '../project.view.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { type CheckFacts, CheckFindings, presentCheck } from './check.presenter.ts';
import { SavedHeaders } from './saved-headers.ts';
import { ListPage, type ListRequest, orderOf } from '../../platform/http/lists/list.ts';
import type { TestAnswer, TestStatus } from './check.api.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';

/** Checks whose saved headers are opened at once. */
const TOGETHER = 100;

/** Presents checks, in the order in which they were created. */
@Injectable()
export class CheckReading {
  constructor(
    private readonly views: ViewsAt,
    private readonly savedHeaders: SavedHeaders,
    private readonly findings: CheckFindings,
  ) {}

  /** `onRead` gets the row that is shown. */
  async one(checkId: string, project: ProjectRow, onRead: (row: CheckRow) => void = () => undefined): Promise<TestAnswer> {
    const known = await this.views.snapshot(async (views) => {
      this.findings.prefetch(views, project.id);
      const row = await views.get(checkView, checkId);
      return this.findings.known(views, project.id, row === null ? [] : [row]);
    });
    known.rows.forEach(onRead);
    const [presented] = await this.presentAll(known.rows, await this.findings.withRuns(project, known));
    if (presented === undefined) throw new NotFound();
    return presented;
  }

  async ofProject(project: ProjectRow, request: ListRequest): Promise<ListPage> {
    const { known, end } = await this.views.snapshot(async (views) => {
      this.findings.prefetch(views, project.id);
      const page = await this.page(views, project.id, request);
      return { known: await this.findings.known(views, project.id, page.rows), end: page.end };
    });
    return new ListPage(await this.presentAll(known.rows, await this.findings.withRuns(project, known)), end);
  }

  /** `enabled`: without the disabled ones. */
  async page(
    views: Views,
    projectId: string,
    request: ListRequest,
    { enabled = false }: { readonly enabled?: boolean } = {},
  ): Promise<{ readonly rows: readonly CheckRow[]; readonly end: PageEnd | null }> {
    const { search, limit, after } = request;
    // Cast: a word of the list.
    const counted = countedFor(request.status as TestStatus | null, enabled);
    const query = {
      scope: projectStream(projectId),
      order: orderOf(request),
      where: {
        ...(search === null ? {} : { words: { contains: search } }),
        ...(enabled ? { enabled: { eq: projectId } } : {}),
      },
      also: counted === null ? [] : [alsoIn(standingView, { counts: { in: counted.map((status) => countedAs(projectId, status)) } })],
    };
    const { items, end } = await pageOfView(views, checkView, query, limit, after);
    return { rows: items.map(({ row }) => row), end };
  }

  async presentAll(rows: readonly CheckRow[], facts: ReadonlyMap<string, CheckFacts>): Promise<readonly TestAnswer[]> {
    const presented: TestAnswer[] = [];
    const slice = new TimeSlice();
    for (let start = 0; start < rows.length; start += TOGETHER) {
      if (slice.isOver) await slice.next();
      const part = rows.slice(start, start + TOGETHER).flatMap((row) => {
        const found = facts.get(row.id);
        return found === undefined ? [] : [this.withHeaders(row, found)];
      });
      presented.push(...(await Promise.all(part)));
    }
    return presented;
  }

  private async withHeaders(row: CheckRow, facts: CheckFacts): Promise<TestAnswer> {
    return presentCheck(row, await this.savedHeaders.masked(row.settings.options.w), facts);
  }
}

/** A disabled check counts as unknown (docs/spec/decisions.md#T4). */
function countedFor(status: TestStatus | null, enabled: boolean): readonly CountedStatus[] | null {
  if (status === null) return null;
  return status === 'unknown' && !enabled ? ['unknown', 'disabled'] : [status];
}
