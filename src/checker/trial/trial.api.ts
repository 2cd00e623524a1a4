import type { CheckType } from '../../projects/checks/check.settings.ts';
import { CheckOptionsInput, checkType, checkUrlField } from '../../projects/checks/check.api.ts';
import { newRules, type RuleInput } from '../../projects/checks/rule.api.ts';
import { objectIdSchema, failures, idPath, moment } from '../../platform/http/description/vocabulary.ts';
import { anyText, describedAs, filledText, instantText, object, yesOrNo } from '../../platform/http/validation/fields.ts';
import { Input, Optional, Required } from '../../platform/http/validation/input.ts';
import { alsoUnder, bare, json, type Operation, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { integer, list, named, number, orNull, record, type Schema, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { trialResult } from '../jobs/job.api.ts';

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

const status = (description: string, example: string): Schema<'ok' | 'error' | 'timeout'> =>
  word(['ok', 'error', 'timeout'], description, { examples: [example] });
export const share = (description: string, example: number): Schema<number | null> =>
  orNull(number(description, { minimum: 0, maximum: 100, examples: [example] }));

export const stretchSchema = named(
  'Stretch',
  record('Consecutive runs with the same verdicts', {
    from: moment('Time of the first run', '2023-03-22T00:00:00.000Z'),
    to: moment('Time of the last run', '2023-03-23T00:00:00.000Z'),
    runs: integer('Number of runs', { minimum: 1, examples: [288] }),
    old: status('The original verdict', 'ok'),
    new: status('The verdict by the other rules', 'error'),
    failures: { ...failures, examples: [['Expected the title to contain "Shop", got "Example"']] },
  }),
);
const whatIfFound = named(
  'WhatIfFound',
  record('Verdicts by the other rules', {
    from: moment('Start', '2023-03-22T00:00:00.000Z'),
    to: moment('End', '2023-03-23T00:00:00.000Z'),
    runs: integer('Runs in that time', { minimum: 0, examples: [288] }),
    judged: integer('Runs that were kept completely enough to be judged', { minimum: 0, examples: [288] }),
    changed: integer('Runs whose status would differ', { minimum: 0, examples: [288] }),
    uptime: record('Percent of the judged runs that passed; null without any', {
      old: share('By the original verdicts', 100),
      new: share('By the other rules', 0),
    }),
    verdicts: list(stretchSchema, 'In order of time'),
  }),
);
export type WhatIfAnswer = ValueOf<typeof whatIfFound>;
const whatIf: Operation = {
  id: 'whatIf',
  tag: 'Tests',
  summary: 'Judge a past time by other rules',
  description: 'Over the stored pages of that time; nothing changes.',
  path: { id: objectIdSchema('The test') },
  body: takes(WhatIfDto, { rules: [{ type: 'title', op: 'sub', val: 'Shop' }], from: '2023-03-22T00:00:00Z' }),
  answer: json(whatIfFound),
};

export const trialOperations: Operations = {
  'POST /project/:id/try': {
    id: 'tryTest',
    tag: 'Tests',
    summary: 'Try a test',
    description: 'Fetches at once and stores nothing.',
    path: idPath,
    body: takes(TrialDto, { url: '/', rules: [{ type: 'title', op: 'sub', val: 'Example' }] }),
    answer: json(trialResult, { testId: '' }),
    refusals: {
      400: bare('The URL is missing or invalid'),
      404: why('The project has no such group'),
    },
  },
  'POST /test/:id/what-if': whatIf,
  'POST /tests/:id/what-if': alsoUnder(whatIf),
};
