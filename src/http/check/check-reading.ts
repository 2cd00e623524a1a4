import { Inject, Injectable } from '@nestjs/common';
import { KEYRING, type Keyring } from '../../base/keyring/keyring.ts';
import { type CheckRow, checkView } from '../../projections/check/check.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/kit/views.ts';
import type { ProjectRow } from '../../projections/project/project.view.ts';
import { NotFound } from '../errors/refusals.ts';
import { CheckFactsReader } from './check-facts.ts';
import { presentCheck } from './check.presenter.ts';

/** From rows to answers, in the order in which the checks were made. */
@Injectable()
export class CheckReading {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(CheckFactsReader) private readonly facts: CheckFactsReader,
  ) {}

  async one(checkId: string, project: ProjectRow): Promise<object> {
    const row = await this.views.now().get(checkView, checkId);
    if (row === null) throw new NotFound();
    return this.present(row, project);
  }

  async ofProject(project: ProjectRow): Promise<readonly object[]> {
    const items = await this.views.now().list(checkView, { scope: `project-${project.id}` });
    const rows = items.map(({ row }) => row).sort((a, b) => a.order - b.order);
    return Promise.all(rows.map((row) => this.present(row, project)));
  }

  async present(row: CheckRow, project: ProjectRow): Promise<object> {
    const headers = row.settings.options.w === null ? '' : ((await this.keyring.open(row.settings.options.w)) ?? '');
    return presentCheck(row, headers, await this.facts.of(row, project));
  }
}
