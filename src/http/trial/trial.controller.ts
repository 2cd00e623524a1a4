import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { TrialNotPossible } from '../../checker/trial/trial-not-possible.ts';
import { areaView } from '../../projections/read-models/area/area.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { type CheckRow, checkView } from '../../projections/read-models/check/check.view.ts';
import { projectStream } from '../../domain/stream-names.ts';
import { CheckSettingsInput } from '../check/check-settings.ts';
import { CurrentProject } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/request-state.ts';
import { NotFound } from '../errors/refusals.ts';
import { TrialDto } from './trial.dto.ts';
import { TrialService } from './trial.service.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';

/** Runs a check once without storing a verdict. */
@Controller('project/:id')
export class TrialController {
  constructor(
    @Inject(TrialService) private readonly trials: TrialService,
    @Inject(CheckSettingsInput) private readonly input: CheckSettingsInput,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
  ) {}

  @Post('try')
  @Needs(projectRight('editTests'))
  @HttpCode(200)
  async try(@CurrentProject() { projectId, row }: ProjectAccess, @Body() dto: TrialDto): Promise<object> {
    const area = dto.areaId === undefined ? null : await this.views.now().get(areaView, dto.areaId);
    if (dto.areaId !== undefined && area?.projectId !== projectId) throw new NotFound('The area was not found.');
    const settings = await this.input.created(dto, row);
    const check = { id: `try ${projectId}`, projectId, areaId: area?.id ?? '', settings, order: Number.MAX_SAFE_INTEGER };
    const trial = await this.trials.run(row, area, check, await this.stepsFor(check));
    if (trial.kind === 'inconclusive') throw new TrialNotPossible(`The site could not be fetched just now: ${trial.reason}`);
    return { ...trial.result, testId: '', persist: false };
  }

  /** The enabled checks of its group, if it uses values of them. */
  private async stepsFor({ projectId, areaId, settings }: CheckRow): Promise<readonly CheckRow[]> {
    if ((settings.options.uses ?? []).length === 0) return [];
    const listed = await this.views.now().list(checkView, { scope: projectStream(projectId), where: { runs: { eq: areaId } } });
    return listed.map(({ row }) => row);
  }
}
