import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { CurrentCheck, CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import { PastInput } from './past-input.ts';
import { WhatIfDto, type WhatIfAnswer } from './trial.api.ts';
import { TrialService } from './trial.service.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';

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
