import { Inject, Injectable } from '@nestjs/common';
import { type CheckRow, checkView } from '../../projections/read-models/check/check.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { NotFound } from '../errors/refusals.ts';
import { CheckFactsReader } from './check-facts.ts';
import { type CheckFacts, presentCheck } from './check.presenter.ts';
import { SavedHeaders } from './saved-headers.ts';
import type { TestAnswer } from './check.description.ts';
import { projectStream } from '../../domain/stream-names.ts';

/** Presents checks, in the order in which they were created. */
@Injectable()
export class CheckReading {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(SavedHeaders) private readonly savedHeaders: SavedHeaders,
    @Inject(CheckFactsReader) private readonly facts: CheckFactsReader,
  ) {}

  async one(checkId: string, project: ProjectRow): Promise<TestAnswer> {
    const row = await this.views.now().get(checkView, checkId);
    if (row === null) throw new NotFound();
    return this.present(row, project);
  }

  async present(row: CheckRow, project: ProjectRow): Promise<TestAnswer> {
    const [presented] = await this.presentAll([row], await this.facts.read(this.views.now(), project, [row]));
    if (presented === undefined) throw new NotFound();
    return presented;
  }

  async ofProject(project: ProjectRow): Promise<readonly TestAnswer[]> {
    const rows = await this.rows(project.id);
    return this.presentAll(rows, await this.facts.read(this.views.now(), project, rows));
  }

  async rows(projectId: string): Promise<readonly CheckRow[]> {
    const items = await this.views.now().list(checkView, { scope: projectStream(projectId) });
    return items.map(({ row }) => row).sort((a, b) => a.order - b.order);
  }

  async presentAll(rows: readonly CheckRow[], facts: ReadonlyMap<string, CheckFacts>): Promise<readonly TestAnswer[]> {
    return Promise.all(
      rows.flatMap((row) => {
        const found = facts.get(row.id);
        return found === undefined ? [] : [this.withHeaders(row, found)];
      }),
    );
  }

  private async withHeaders(row: CheckRow, facts: CheckFacts): Promise<TestAnswer> {
    return presentCheck(row, await this.savedHeaders.masked(row.settings.options.w), facts);
  }
}
