import { checkTypes } from '../../domain/check/settings.ts';
import { newRules } from '../check/rule.description.ts';
import { alsoUnder, bare, json, type Operation, type Operations, why } from '../description/operation.ts';
import { flag, integer, list, number, orNull, record, ref, type Schema, text, word } from '../description/schema.ts';
import { atInstant, failures, idPath, objectId } from '../description/vocabulary.ts';
import { runResult } from '../job/job.description.ts';

const status = (description: string): Schema => word(['ok', 'error', 'timeout'], description);
const share = (description: string): Schema => orNull(number(description, { minimum: 0, maximum: 100 }));
const moment = (description: string): Schema => text(description, { format: 'date-time' });

export const trialSchemas = {
  Trial: record(
    'What is to be tried',
    { url: text('Absolute, or relative to the URL of the project', { maxLength: 2048, examples: ['/about'] }) },
    {
      rules: newRules,
      options: record(
        'How it is fetched',
        {},
        {
          '2': flag('HTTP/1 requests only'),
          '6': flag('IPv6 requests only'),
          g: flag('Do not accept gzip'),
          l: flag('Do not follow redirects'),
          w: text('Extra HTTP headers, one a line', { examples: ['X-From: watchledger'] }),
        },
      ),
      type: word(checkTypes, 'Kind of test'),
      areaId: objectId('With the rules, headers and sign-ins of this group'),
    },
  ),
  WhatIf: record(
    'Other rules, and over which time',
    { rules: newRules, from: atInstant('Start') },
    { to: atInstant('End; now when it is missing') },
  ),
  WhatIfFound: record('What they would have said', {
    from: moment('Start'),
    to: moment('End'),
    runs: integer('Runs in that time', { minimum: 0 }),
    judged: integer('Those of which enough was kept', { minimum: 0 }),
    changed: integer('Those whose status would have been another', { minimum: 0 }),
    uptime: record('Percent of the judged runs that passed; null without any', {
      old: share('As it was'),
      new: share('As it would have been'),
    }),
    verdicts: list(ref('Stretch'), 'In order'),
  }),
  Stretch: record('Runs one after another that say the same', {
    from: moment('The first'),
    to: moment('The last'),
    runs: integer('How many', { minimum: 1 }),
    old: status('As it was'),
    new: status('As it would have been'),
    failures,
  }),
} satisfies Readonly<Record<string, Schema>>;

const span = { from: '2023-03-22T00:00:00.000Z', to: '2023-03-23T00:00:00.000Z' };
const stretch = { ...span, runs: 288, old: 'ok', new: 'error', failures: ['Expected the title to contain "Shop", got "Example"'] };
const whatIf: Operation = {
  id: 'whatIf',
  tag: 'Tests',
  summary: 'What other rules would have said',
  description: 'Over the pages of a time that is past; nothing is changed by asking.',
  path: { id: objectId('The test') },
  body: { schema: ref('WhatIf'), example: { rules: [{ type: 'title', op: 'sub', val: 'Shop' }], from: '2023-03-22T00:00:00Z' } },
  answer: json(ref('WhatIfFound'), {
    ...{ ...span, runs: 288, judged: 288, changed: 288, uptime: { old: 100, new: 0 }, verdicts: [stretch] },
  }),
};

export const trialOperations: Operations = {
  'POST /project/:id/try': {
    id: 'tryTest',
    tag: 'Tests',
    summary: 'What a test would say',
    description: 'Fetches at once and stores nothing.',
    path: idPath,
    body: { schema: ref('Trial'), example: { url: '/', rules: [{ type: 'title', op: 'sub', val: 'Example' }] } },
    answer: json(ref('TrialResult'), { ...runResult, testId: '', persist: false }),
    refusals: {
      400: bare('The URL is missing or invalid'),
      404: why('There is no such group in the project'),
    },
  },
  'POST /test/:id/what-if': whatIf,
  'POST /tests/:id/what-if': alsoUnder(whatIf),
};
