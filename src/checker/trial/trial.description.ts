import { alsoUnder, bare, json, type Operation, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { integer, list, named, number, orNull, record, type Schema, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { failures, idPath, moment, objectIdSchema } from '../../platform/http/description/vocabulary.ts';
import { runResult, trialResult } from '../jobs/job.description.ts';
import { TrialDto, WhatIfDto } from './trial.dto.ts';

const status = (description: string): Schema<'ok' | 'error' | 'timeout'> => word(['ok', 'error', 'timeout'], description);
export const share = (description: string): Schema<number | null> => orNull(number(description, { minimum: 0, maximum: 100 }));

export const stretchSchema = named(
  'Stretch',
  record('Consecutive runs with the same verdicts', {
    from: moment('Time of the first run'),
    to: moment('Time of the last run'),
    runs: integer('Number of runs', { minimum: 1 }),
    old: status('The original verdict'),
    new: status('The verdict by the other rules'),
    failures,
  }),
);
const whatIfFound = named(
  'WhatIfFound',
  record('Verdicts by the other rules', {
    from: moment('Start'),
    to: moment('End'),
    runs: integer('Runs in that time', { minimum: 0 }),
    judged: integer('Runs that were kept completely enough to be judged', { minimum: 0 }),
    changed: integer('Runs whose status would differ', { minimum: 0 }),
    uptime: record('Percent of the judged runs that passed; null without any', {
      old: share('By the original verdicts'),
      new: share('By the other rules'),
    }),
    verdicts: list(stretchSchema, 'In order of time'),
  }),
);
export type WhatIfAnswer = ValueOf<typeof whatIfFound>;

const span = { from: '2023-03-22T00:00:00.000Z', to: '2023-03-23T00:00:00.000Z' };
const stretch: ValueOf<typeof stretchSchema> = {
  ...span,
  runs: 288,
  old: 'ok',
  new: 'error',
  failures: ['Expected the title to contain "Shop", got "Example"'],
};
const whatIf: Operation = {
  id: 'whatIf',
  tag: 'Tests',
  summary: 'Judge a past time by other rules',
  description: 'Over the stored pages of that time; nothing changes.',
  path: { id: objectIdSchema('The test') },
  body: takes(WhatIfDto, { rules: [{ type: 'title', op: 'sub', val: 'Shop' }], from: '2023-03-22T00:00:00Z' }),
  answer: json(whatIfFound, {
    ...span,
    runs: 288,
    judged: 288,
    changed: 288,
    uptime: { old: 100, new: 0 },
    verdicts: [stretch],
  }),
};

export const trialOperations: Operations = {
  'POST /project/:id/try': {
    id: 'tryTest',
    tag: 'Tests',
    summary: 'Try a test',
    description: 'Fetches at once and stores nothing.',
    path: idPath,
    body: takes(TrialDto, { url: '/', rules: [{ type: 'title', op: 'sub', val: 'Example' }] }),
    answer: json(trialResult, { ...runResult, testId: '', persist: false }),
    refusals: {
      400: bare('The URL is missing or invalid'),
      404: why('The project has no such group'),
    },
  },
  'POST /test/:id/what-if': whatIf,
  'POST /tests/:id/what-if': alsoUnder(whatIf),
};
