import { ruleSchema } from '../../projects/checks/rule.api.ts';
import { exampleOf } from '../../platform/http/description/example.ts';
import { alsoUnder, json, may, must, type Operation, type Operations, takes } from '../../platform/http/description/operation.ts';
import { integer, list, named, number, orNull, record, text, type ValueOf } from '../../platform/http/description/schema.ts';
import { atInstant, instant, moment, objectIdSchema, uuidSchema, nextCursor } from '../../platform/http/description/vocabulary.ts';
import { CorrectionDto } from '../trial/trial.api.ts';
import { shareOfTime, uptimeDay } from '../../platform/observations/samples/uptime-day.api.ts';
import { shortList } from '../../platform/http/lists/list.ts';

const percent = record('For the whole time', {
  up: shareOfTime('Passing', 95),
  down: shareOfTime('Failing', 5),
  timeout: shareOfTime('Timed out', 0),
});
const unknownSeconds = number('Seconds without a verdict', { minimum: 0 });
const unjudgedSeconds = number('Of these, seconds whose runs were not kept completely enough to be judged again', { minimum: 0 });
const failures = integer('Number of times that the test started to fail', { minimum: 0, examples: [1] });
const figures = { uptime: percent, unknownSeconds, failures };
const correctedFigures = record('Figures by the corrected verdicts', { ...figures, unjudgedSeconds });

const summary = {
  id: objectIdSchema('The correction'),
  from: moment('Start of the corrected time', '2023-03-22T00:00:00.000Z'),
  to: moment('End of the corrected time', '2023-03-23T00:00:00.000Z'),
  reason: text('Why the verdicts of that time were wrong', { examples: ['The rule expected an old title'] }),
  recordedAt: moment('Time of the correction', '2023-03-24T09:00:00.123456Z'),
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
      { kind: text('Kind of actor', { examples: ['user'] }), id: text('Of a user the user id', { examples: ['7'] }) },
      { tokenId: text('Token of the user') },
    ),
    runs: integer('Runs of that time that are still known', { minimum: 0, examples: [288] }),
    judged: integer('Runs that were kept completely enough to be judged again', { minimum: 0, examples: [280] }),
    changed: integer('Runs whose verdict changed', { minimum: 0, examples: [12] }),
    original: record('Figures by the original verdicts', figures),
    corrected: correctedFigures,
    overruledBy: list(objectIdSchema('A correction'), 'Later corrections of parts of the same time, which count there', { examples: [[]] }),
  }),
);
export type CorrectionAnswer = ValueOf<typeof correctionSchema>;

const corrections = named(
  'Corrections',
  record('Every correction of a test', { corrections: list(correctionSchema, 'In the order of recording') }, { nextCursor }),
);

const report = {
  from: instant('Start, in the offset of the request', '2023-03-22T00:00:00+00:00'),
  to: instant('End, in the offset of the request', '2023-03-23T00:00:00+00:00'),
  daysCount: integer('Whole days between', { minimum: 0, examples: [1] }),
  uptime: percent,
  uptimeByDays: list(uptimeDay, 'Calendar days in that offset; days without data are omitted', { examples: [[]] }),
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
const passing = { uptime: { up: 100, down: 0, timeout: 0 }, failures: 0 };
const example = exampleOf(correctionSchema, { corrected: exampleOf(correctedFigures, passing) });

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
  answer: json(corrections, { corrections: [example] }),
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
  answer: json(correctionSchema, example),
};
const uptime: Operation = {
  id: 'getTestUptime',
  tag: 'Uptime',
  summary: 'Uptime of a test',
  description: 'By its verdicts: the original ones and, where they were corrected, the corrected ones.',
  path,
  query: { start: must(atInstant('Start')), end: may(atInstant('End; missing: now')) },
  answer: json(testUptime, { corrected: exampleOf(correctedUptime, passing) }),
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
