import type { CheckType } from '../../projects/checks/check.settings.ts';
import { CheckOptionsInput, checkType, checkUrlField } from '../../projects/checks/check.dto.ts';
import { newRules, type RuleInput } from '../../projects/checks/rule.dto.ts';
import { objectIdSchema } from '../../platform/http/description/vocabulary.ts';
import { anyText, describedAs, filledText, instantText, object, yesOrNo } from '../../platform/http/validation/fields.ts';
import { Input, Optional, Required } from '../../platform/http/validation/input.ts';

@Input('Trial', 'A test to try')
export class TrialDto {
  /** Read by `readCheckUrl`, whose refusal has a body of its own. */
  @Required(checkUrlField) url?: unknown;
  @Optional(newRules) rules?: RuleInput[];
  @Optional(object(CheckOptionsInput)) options?: CheckOptionsInput;
  @Optional(checkType) type?: CheckType;
  @Optional(describedAs(anyText(''), objectIdSchema('A group, whose rules, headers and sign-in are applied'))) areaId?: string;
  /** With the page as it came, and each rule with its place on it. */
  @Optional(yesOrNo('With each rule, its result and its place, and the page as it came; needs the scope `evidence`', { default: false }))
  page?: boolean;
}

@Input('WhatIf', 'Other rules, and the past time to judge by them')
export class WhatIfDto {
  @Required(newRules) rules!: RuleInput[];
  @Required(instantText('Start')) from!: string;
  @Optional(instantText('End; missing: now')) to?: string;
}

@Input('NewCorrection', 'The rules that a test should have had over a past time, and the reason')
export class CorrectionDto {
  @Required(newRules) rules!: RuleInput[];
  @Required(instantText('Start')) from!: string;
  @Optional(instantText('End, not in the future; missing: now')) to?: string;
  @Required(filledText('Why the verdicts of that time were wrong', 1000)) reason!: string;
}
