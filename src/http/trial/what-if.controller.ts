import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { Allow } from 'class-validator';
import type { Rule } from '../../checker/rules/rule.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { readInstant } from '../../kernel/instants.ts';
import { areaView } from '../../projections/area/area.view.ts';
import type { CheckRow } from '../../projections/check/check.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/kit/views.ts';
import { readRules } from '../check/rules-input.ts';
import { Accessed, AccessedCheck } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/project-access.ts';
import { TrialService } from './trial.service.ts';

export class WhatIfDto {
  @Allow() rules?: unknown;
  @Allow() from?: unknown;
  @Allow() to?: unknown;
}

/** The page and its status are kept, the headers are not. */
const isKept = ({ type }: { readonly type: string }): boolean => type !== 'header' && type !== 'location';

/** What other rules would have said about the pages of a time that is past; nothing is changed by asking. */
@Controller()
export class WhatIfController {
  constructor(
    @Inject(TrialService) private readonly trials: TrialService,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
  ) {}

  @Post(['test/:id/what-if', 'tests/:id/what-if'])
  @HttpCode(200)
  async whatIf(@Accessed() { projectId, row }: ProjectAccess, @AccessedCheck() check: CheckRow, @Body() dto: WhatIfDto): Promise<object> {
    const own = readRules(dto.rules);
    const [from, to] = [instantOf(dto.from, 'from'), dto.to === undefined ? Date.now() : instantOf(dto.to, 'to')];
    if (from > to) throw new InvalidInput('from: lies after to');
    if (!own.every(isKept))
      throw new InvalidInput('rules: headers and redirects of past answers are not kept, so nothing can be said of them');
    await this.trials.refuseUnreadable(own);
    const area = await this.views.now().get(areaView, check.areaId);
    const ofGroup = (area?.settings.rules ?? []).flat();
    // A group keeps the same rules, without saying so.
    const rules = [...ofGroup.filter(isKept), ...own] as readonly Rule[];
    const found = await this.trials.whatIf({
      ...{ projectId, checkId: check.id, rules, from, to },
      defaultErrors: row.settings.checkDefaultErrors,
    });
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      leftOut: ofGroup.length - ofGroup.filter(isKept).length,
      ...found,
    };
  }
}

function instantOf(given: unknown, name: string): number {
  const read = readInstant(given);
  if (read.kind === 'invalid') throw new InvalidInput(`${name}: ${read.reason}`);
  return read.at;
}
