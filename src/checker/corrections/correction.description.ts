import { ruleSchema } from '../../projects/checks/rule.description.ts';
import { alsoUnder, json, may, must, type Operation, type Operations, takes } from '../../platform/http/description/operation.ts';
import { integer, list, named, number, orNull, record, type Schema, text, type ValueOf } from '../../platform/http/description/schema.ts';
import {
  atInstant,
  ID,
  instant,
  moment,
  objectIdSchema,
  EXAMPLE_UUID,
  uuidSchema,
  nextCursor,
} from '../../platform/http/description/vocabulary.ts';
import { CorrectionDto } from '../trial/trial.dto.ts';
import { uptimeDay } from '../../watches/uptime/uptime.description.ts';
import { shortList } from '../../platform/http/lists/list.ts';

const share = (description: string): Schema<number> =>
  number(`${description}, percent of the time that is known`, { minimum: 0, maximum: 100 });
const percent = record('For the whole time', { up: share('Passing'), down: share('Failing'), timeout: share('Timed out') });
const unknownSeconds = number('Seconds without a verdict', { minimum: 0 });
const unjudgedSeconds = number('Of these, seconds whose runs were not kept completely enough to be judged again', { minimum: 0 });
const failures = integer('Number of times that the test started to fail', { minimum: 0 });
const figures = { uptime: percent, unknownSeconds, failures };

const summary = {
  id: objectIdSchema('The correction'),
  from: moment('Start of the corrected time'),
  to: moment('End of the corrected time'),
  reason: text('Why the verdicts of that time were wrong'),
  recordedAt: moment('Time of the correction'),
  eventId: uuidSchema('Its event in the history'),
};

const correctionSchema = named(
  'Correction',
  record('The original and the corrected verdicts of a time', {
    ...summary,
    testId: objectIdSchema('The test'),
    rules: list(ruleSchema, 'The rules that the test should have had'),
    actor: record(
      'Author of the correction',
      { kind: text('Kind of actor'), id: text('Of a user the user id') },
      { tokenId: text('Token of the user') },
    ),
    runs: integer('Runs of that time that are still known', { minimum: 0 }),
    judged: integer('Runs that were kept completely enough to be judged again', { minimum: 0 }),
    changed: integer('Runs whose verdict changed', { minimum: 0 }),
    original: record('Figures by the original verdicts', figures),
    corrected: record('Figures by the corrected verdicts', { ...figures, unjudgedSeconds }),
    overruledBy: list(objectIdSchema('A correction'), 'Later corrections of parts of the same time, which count there'),
  }),
);
export type CorrectionAnswer = ValueOf<typeof correctionSchema>;

const corrections = named(
  'Corrections',
  record('Every correction of a test', { corrections: list(correctionSchema, 'In the order of recording') }, { nextCursor }),
);

const report = {
  from: instant('Start, in the offset of the request'),
  to: instant('End, in the offset of the request'),
  daysCount: integer('Whole days between', { minimum: 0 }),
  uptime: percent,
  uptimeByDays: list(uptimeDay, 'Calendar days in that offset; days without data are omitted'),
  unknownSeconds,
  failures,
};
const correctedUptime = named('CorrectedUptime', record('The report by the corrected verdicts', { ...report, unjudgedSeconds }));
const testUptime = named(
  'TestUptime',
  record('Uptime of a test, by its verdicts', {
    ...report,
    corrected: orNull(correctedUptime),
    corrections: list(record('A correction', summary), 'Corrections of this time, in the order of recording'),
  }),
);
export type TestUptimeAnswer = ValueOf<typeof testUptime>;

const path = { id: objectIdSchema('The test') };
const span = { from: '2023-03-22T00:00:00.000Z', to: '2023-03-23T00:00:00.000Z' };
const made = {
  id: ID,
  ...span,
  reason: 'The rule expected an old title',
  recordedAt: '2023-03-24T09:00:00.123456Z',
  eventId: EXAMPLE_UUID,
};
const correction: CorrectionAnswer = {
  ...made,
  testId: ID,
  actor: { kind: 'user', id: '7' },
  runs: 288,
  judged: 280,
  changed: 12,
  overruledBy: [],
  rules: [{ type: 'title', op: 'sub', val: 'Shop', origin: '', templateId: '', order: 0 }],
  original: { uptime: { up: 95, down: 5, timeout: 0 }, unknownSeconds: 0, failures: 1 },
  corrected: { uptime: { up: 100, down: 0, timeout: 0 }, unknownSeconds: 2400, failures: 0, unjudgedSeconds: 2400 },
};
const reported = {
  from: '2023-03-22T00:00:00+00:00',
  to: '2023-03-23T00:00:00+00:00',
  daysCount: 1,
  uptimeByDays: [],
  unknownSeconds: 0,
  uptime: { up: 95, down: 5, timeout: 0 },
  failures: 1,
};

const read: Operation = {
  id: 'getCorrections',
  tag: 'Tests',
  summary: 'List the corrections of a test',
  description: 'Each has the figures of its own time, as if it were the only correction.',
  path,
  list: shortList(correctionSchema, {
    name: 'corrections',
    member: 'corrections',
    key: 'id',
    sorts: ['recordedAt', 'from'],
    search: ['reason'],
  }),
  answer: json(corrections, { corrections: [correction] }),
};
const make: Operation = {
  id: 'correctTest',
  tag: 'Tests',
  summary: 'Correct the verdicts of a past time',
  description:
    'Judges the stored runs of that time by other rules and records the result. The original verdicts stay; reports show both. The rules of the test do not change.',
  path,
  body: takes(CorrectionDto, {
    rules: [{ type: 'title', op: 'sub', val: 'Shop' }],
    from: '2023-03-22T00:00:00Z',
    reason: 'The rule expected an old title',
  }),
  answer: json(correctionSchema, correction),
};
const uptime: Operation = {
  id: 'getTestUptime',
  tag: 'Uptime',
  summary: 'Uptime of a test',
  description: 'By its verdicts: the original ones and, where they were corrected, the corrected ones.',
  path,
  query: { start: must(atInstant('Start')), end: may(atInstant('End; missing: now')) },
  answer: json(testUptime, {
    ...reported,
    corrected: { ...reported, uptime: { up: 100, down: 0, timeout: 0 }, failures: 0, unjudgedSeconds: 0 },
    corrections: [made],
  }),
  refusals: { 405: { why: '`start` is missing or cannot be read', schema: 'StartError' } },
};

export const correctionOperations: Operations = {
  'GET /test/:id/corrections': read,
  'GET /tests/:id/corrections': alsoUnder(read),
  'POST /test/:id/corrections': make,
  'POST /tests/:id/corrections': alsoUnder(make),
  'GET /test/:id/uptime': uptime,
  'GET /tests/:id/uptime': alsoUnder(uptime),
};
