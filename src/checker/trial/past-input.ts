import { Inject, Injectable } from '@nestjs/common';
import type { PastQuery } from './judge-past.ts';
import type { RuleCondition } from '../rules/rule.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import type { Rule } from '../../projects/checks/rule.ts';
import { FoundProblems, InvalidInput } from '../../kernel/errors.ts';
import { areaView } from '../../projects/areas/area.view.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { toRules } from '../../projects/checks/rule.api.ts';
import type { ProjectAccess } from '../../projects/request-project.ts';
import { instantOf } from '../../platform/http/spans/instant-input.ts';
import type { WhatIfDto } from './trial.api.ts';
import { RuleValidation } from '../../projects/checks/rule-validation.ts';
import { DAY_MS } from '../../kernel/time.ts';

export interface PastInputRead {
  /** The rules of the check itself, as they were given. */
  readonly rules: readonly Rule[];
  /** Milliseconds, as they were given. */
  readonly from: number;
  readonly to: number;
  /** What there is to judge, with the rules of the group. */
  readonly asked: PastQuery;
}

/** Other rules, and the time over which they are tried. */
@Injectable()
export class PastInput {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly validation: RuleValidation,
    private readonly views: ViewsAt,
  ) {}

  async read(body: WhatIfDto, { projectId, row }: ProjectAccess, check: CheckRow, now: number): Promise<PastInputRead> {
    const rules = toRules(body.rules);
    const [from, to] = [instantOf(body.from, 'from').at, body.to === undefined ? now : instantOf(body.to, 'to').at];
    const found = new FoundProblems();
    found.read(() => {
      if (from > to) throw new InvalidInput('to: must be later than from');
    });
    await found.readLater(() => this.validation.refuseInvalid(rules));
    found.refuse();
    const area = await this.views.now().get(areaView, check.areaId);
    const ofGroup = (area?.settings.rules ?? []).flat();
    const asked = {
      projectId,
      account: row.payerId,
      checkId: check.id,
      type: check.settings.type,
      defaultErrors: row.settings.checkDefaultErrors,
      rules: [...ofGroup, ...rules] as readonly RuleCondition[],
      from,
      to: Math.min(to, now),
      keptFrom: now - (this.config.retentionDays + 1) * DAY_MS,
    };
    return { rules, from, to, asked };
  }
}
