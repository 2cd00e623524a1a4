import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { jobOfExchange } from '../evidence/exchange-of.ts';
import type { MadeTrial } from './trial.ts';
import { TrialNotPossible } from './judge-past.ts';
import { areaView } from '../../projects/areas/area.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { type CheckRow, checkView } from '../../projects/checks/check.view.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { CheckSettingsInput } from '../../projects/checks/check-settings.ts';
import { CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess, CurrentCheck } from '../../projects/request-project.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { presentJudgedRules, charsetIn } from '../evidence/judged-exchange.ts';
import { ScopeCheck } from '../../accounts/tokens/token-uses.ts';
import { TrialDto, WhatIfDto, type WhatIfAnswer } from './trial.api.ts';
import type { TrialFindingsAnswer } from '../jobs/job.api.ts';
import { TrialService } from './trial.service.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { PastInput } from './past-input.ts';

/** The most bytes of the page that a trial shows. */
const MAX_SHOWN_BYTES = 1 << 20;

/** Runs a check once without storing a verdict. */
@Controller('project/:id')
export class TrialController {
  constructor(
    private readonly trials: TrialService,
    private readonly input: CheckSettingsInput,
    private readonly views: ViewsAt,
    private readonly scopes: ScopeCheck,
  ) {}

  @Post('try')
  @Needs(projectRight('editTests'))
  @HttpCode(200)
  async try(
    @CurrentProject() { projectId, row }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @Body() dto: TrialDto,
  ): Promise<object> {
    if (dto.page === true) this.scopes.require(caller, ['evidence']);
    const area = dto.areaId === undefined ? null : await this.views.now().get(areaView, dto.areaId);
    if (dto.areaId !== undefined && area?.projectId !== projectId) throw new NotFound('The area was not found.');
    const settings = await this.input.created(dto, row);
    const check = { id: `try ${projectId}`, projectId, areaId: area?.id ?? '', settings, order: Number.MAX_SAFE_INTEGER };
    const trial = await this.trials.run(row, area, check, await this.stepsFor(check));
    if (trial.kind === 'inconclusive') throw new TrialNotPossible(`The site could not be fetched just now: ${trial.reason}`);
    const result = { ...trial.result, testId: '', persist: false };
    return dto.page === true ? { ...result, findings: await this.findingsOf(trial, caller) } : result;
  }

  private async findingsOf({ exchange, body }: MadeTrial, { userId }: Principal): Promise<TrialFindingsAnswer> {
    const job = body === null ? null : jobOfExchange(exchange, body);
    const ranges = job === null ? [] : await this.trials.locate(job, userId);
    const shown = body?.subarray(0, MAX_SHOWN_BYTES) ?? null;
    return {
      rules: presentJudgedRules(exchange.judged, ranges),
      page: shown === null ? null : new TextDecoder(charsetIn(shown, exchange)).decode(shown),
    };
  }

  /** The enabled checks of its group, if it uses values of them. */
  private async stepsFor({ projectId, areaId, settings }: CheckRow): Promise<readonly CheckRow[]> {
    if ((settings.options.uses ?? []).length === 0) return [];
    const listed = await this.views.now().list(checkView, { scope: projectStream(projectId), where: { runs: { eq: areaId } } });
    return listed.map(({ row }) => row);
  }
}

/** Judges stored answers of a past time by other rules, without changing anything. */
@Controller()
export class WhatIfController {
  constructor(
    private readonly trials: TrialService,
    private readonly input: PastInput,
  ) {}

  @Post(['test/:id/what-if', 'tests/:id/what-if'])
  @Needs(projectRight('read'))
  @HttpCode(200)
  async whatIf(@CurrentProject() access: ProjectAccess, @CurrentCheck() check: CheckRow, @Body() dto: WhatIfDto): Promise<WhatIfAnswer> {
    const { from, to, asked } = await this.input.read(dto, access, check, Date.now());
    return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...(await this.trials.whatIf(asked)) };
  }
}
