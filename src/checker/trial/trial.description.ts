import { alsoUnder, bare, json, type Operation, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { integer, list, named, number, orNull, record, type Schema, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { failures, idPath, moment, objectIdSchema } from '../../platform/http/description/vocabulary.ts';
import { trialResult } from '../jobs/job.description.ts';
import { TrialDto, WhatIfDto } from './trial.dto.ts';

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
