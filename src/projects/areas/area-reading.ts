import { Injectable } from '@nestjs/common';
import { type AreaRow, areaView } from './area.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import type { ProjectRow } from '../project.view.ts';
import { requestNow } from '../../platform/http/as-of/as-of.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { ListPage, type ListRequest, orderOf } from '../../platform/http/lists/list.ts';
import { pageOfView } from '../../platform/read-models/views/view-page.ts';
import { SavedHeaders } from '../checks/saved-headers.ts';
import { FormHtml } from './form-html.ts';
import { type AreaFacts, AreaFindings, presentArea } from './area.presenter.ts';
import type { AreaAnswer } from './area.api.ts';
import { projectStream } from '../../kernel/stream-names.ts';

/** Presents areas, in the order in which they were created. */
@Injectable()
export class AreaReading {
  constructor(
    private readonly views: ViewsAt,
    private readonly savedHeaders: SavedHeaders,
    private readonly findings: AreaFindings,
    private readonly html: FormHtml,
  ) {}

  async one(areaId: string, project: ProjectRow): Promise<AreaAnswer> {
    const views = this.views.now();
    this.findings.prefetch(views, project.id);
    const row = await views.get(areaView, areaId);
    if (row === null) throw new NotFound();
    return this.present(row, project);
  }

  async present(row: AreaRow, project: ProjectRow): Promise<AreaAnswer> {
    const [presented] = await this.presentAll([row], project);
    if (presented === undefined) throw new NotFound();
    return presented;
  }

  async ofProject(project: ProjectRow, request: ListRequest): Promise<ListPage> {
    const { search, limit, after } = request;
    const query = {
      scope: projectStream(project.id),
      order: orderOf(request),
      ...(search === null ? {} : { where: { words: { contains: search } } }),
    };
    const views = this.views.now();
    this.findings.prefetch(views, project.id);
    const { items, end } = await pageOfView(views, areaView, query, limit, after);
    return new ListPage(
      await this.presentAll(
        items.map(({ row }) => row),
        project,
      ),
      end,
    );
  }

  private async presentAll(rows: readonly AreaRow[], project: ProjectRow): Promise<readonly AreaAnswer[]> {
    const [facts, html] = await Promise.all([this.findings.read(rows, project, requestNow()), this.html.of(rows)]);
    return Promise.all(
      rows.flatMap((row) => {
        const found = facts.get(row.id);
        return found === undefined ? [] : [this.withHeaders(row, html.get(row.id) ?? '', found)];
      }),
    );
  }

  private async withHeaders(row: AreaRow, html: string, facts: AreaFacts): Promise<AreaAnswer> {
    return presentArea(row, await this.savedHeaders.masked(row.settings.headers), html, facts);
  }
}
