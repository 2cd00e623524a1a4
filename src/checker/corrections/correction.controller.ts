import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CorrectCheck } from './correction.commands.ts';
import type { Before } from '../verdicts/timeline.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { CorrectionReader } from './correction.reader.ts';
import { requestNow } from '../../platform/http/as-of/as-of.ts';
import { CurrentContext } from '../../platform/http/context/decorators.ts';
import { CurrentCheck, CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { PastInput } from '../trial/past-input.ts';
import { CorrectionDto } from '../trial/trial.api.ts';
import { TrialService } from '../trial/trial.service.ts';
import { presentCorrection } from './correction.presenter.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';

/** Corrections: past verdicts stay, and the verdicts by corrected rules are recorded beside them. */
@Controller()
export class CorrectionController {
  constructor(
    private readonly commands: CommandBus,
    private readonly corrections: CorrectionReader,
    private readonly trials: TrialService,
    private readonly input: PastInput,
  ) {}

  @Get(['test/:id/corrections', 'tests/:id/corrections'])
  @Needs(projectRight('read'))
  async list(@CurrentProject() { projectId }: ProjectAccess, @CurrentCheck() check: CheckRow): Promise<object> {
    const found = await this.corrections.corrections(projectId, check.id, requestNow());
    return { corrections: found.map(presentCorrection) };
  }

  @Post(['test/:id/corrections', 'tests/:id/corrections'])
  @Needs(projectRight('edit'))
  @HttpCode(200)
  async correct(
    @CurrentProject() access: ProjectAccess,
    @CurrentCheck() check: CheckRow,
    @CurrentContext() context: RequestContext,
    @Body() dto: CorrectionDto,
  ): Promise<object> {
    const { projectId } = access;
    const now = Date.parse(context.occurredAt);
    const { rules, from, to, asked } = await this.input.read(dto, access, check, now);
    const found = await this.trials.correction(asked, await this.verdictBefore(projectId, check.id, asked.from, now));
    const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const correction = { checkId: check.id, ...span, reason: dto.reason, rules, ...found };
    const correctionId = await this.commands.execute(new CorrectCheck(context, { projectId, correction }));
    await context.waitUntilVisible();
    const all = await this.corrections.corrections(projectId, check.id, Date.now());
    const made = all.find(({ row }) => row.correctionId === correctionId);
    if (made === undefined) throw new NotFound();
    return presentCorrection(made);
  }

  private async verdictBefore(projectId: string, checkId: string, at: number, now: number): Promise<Before> {
    const request = { from: at, to: at + 1, now, offsetMinutes: 0, excluded: [] };
    const [held] = (await this.corrections.checkUptime(projectId, checkId, request)).original.verdicts;
    return held === undefined ? 'nothing' : held.state === 'ok' ? 'ok' : 'failing';
  }
}
