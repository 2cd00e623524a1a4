import { newRules } from '../check/rule.description.ts';
import { alsoUnder, json, may, must, type Operation, type Operations } from '../description/operation.ts';
import { integer, list, number, orNull, record, ref, type Schema, text } from '../description/schema.ts';
import { atInstant, ID, instant, objectId, UUID, uuid } from '../description/vocabulary.ts';

const share = (description: string): Schema => number(`${description}, percent of the time that is known`, { minimum: 0, maximum: 100 });
const moment = (description: string): Schema => text(description, { format: 'date-time' });
const percent = record('For the whole time', { up: share('Held'), down: share('Failed'), timeout: share('Timed out') });
const unknownSeconds = number('Seconds in which no verdict held', { minimum: 0 });
const unjudgedSeconds = number('Of these, seconds of which too little was kept to judge it again', { minimum: 0 });
const failures = integer('How often it began to fail', { minimum: 0 });
const figures = { uptime: percent, unknownSeconds, failures };

const ofCorrection = {
  id: objectId('The correction'),
  from: moment('Start of the time that is corrected'),
  to: moment('End of that time'),
  reason: text('Why the verdicts of then were wrong'),
  recordedAt: moment('When it was made'),
  eventId: uuid('Its event in the history'),
};

const report = {
  from: instant('Start, in the offset of the request'),
  to: instant('End, in the offset of the request'),
  daysCount: integer('Whole days between', { minimum: 0 }),
  uptime: percent,
  uptimeByDays: list(ref('UptimeDay'), 'Calendar days in that offset; days of which nothing is known are left out'),
  unknownSeconds,
  failures,
};

export const correctionSchemas = {
  NewCorrection: record(
    'Which rules a test should have had, over which time, and why',
    { rules: newRules, from: atInstant('Start'), reason: text('Why the verdicts of then were wrong', { minLength: 1, maxLength: 1000 }) },
    { to: atInstant('End, not in the future; now when it is missing') },
  ),
  Correction: record('What was said of a time, and what should have been', {
    ...ofCorrection,
    testId: objectId('The test'),
    rules: list(ref('Rule'), 'Those that it should have had'),
    actor: record(
      'Who made it',
      { kind: text('What it is'), id: text('Of a user the user id') },
      { tokenId: text('Which token of the user') },
    ),
    runs: integer('Runs of that time that were still known', { minimum: 0 }),
    judged: integer('Those of which enough was kept to judge them again', { minimum: 0 }),
    changed: integer('Those that say something else now', { minimum: 0 }),
    original: record('As it was said', figures),
    corrected: record('As it should have been', { ...figures, unjudgedSeconds }),
    overruledBy: list(objectId('A correction'), 'Later ones that share some of its time: there, they count'),
  }),
  Corrections: record('Every correction of a test', { corrections: list(ref('Correction'), 'In the order in which they were made') }),
  TestUptime: record('How much of a time a test held, by its verdicts', {
    ...report,
    corrected: orNull(ref('CorrectedUptime')),
    corrections: list(record('A correction', ofCorrection), 'Those that concern this time, in the order in which they were made'),
  }),
  CorrectedUptime: record('As it should have been, where it was corrected', { ...report, unjudgedSeconds }),
} satisfies Readonly<Record<string, Schema>>;

const path = { id: objectId('The test') };
const span = { from: '2023-03-22T00:00:00.000Z', to: '2023-03-23T00:00:00.000Z' };
const made = { id: ID, ...span, reason: 'The rule looked for an old title', recordedAt: '2023-03-24T09:00:00.123456Z', eventId: UUID };
const correction = {
  ...{ ...made, testId: ID, actor: { kind: 'user', id: '7' }, runs: 288, judged: 280, changed: 12, overruledBy: [] },
  rules: [{ type: 'title', op: 'sub', val: 'Shop', origin: '', templateId: '', order: 0 }],
  original: { uptime: { up: 95, down: 5, timeout: 0 }, unknownSeconds: 0, failures: 1 },
  corrected: { uptime: { up: 100, down: 0, timeout: 0 }, unknownSeconds: 2400, failures: 0, unjudgedSeconds: 2400 },
};
const reported = {
  ...{ from: '2023-03-22T00:00:00+00:00', to: '2023-03-23T00:00:00+00:00', daysCount: 1, uptimeByDays: [], unknownSeconds: 0 },
  ...{ uptime: { up: 95, down: 5, timeout: 0 }, failures: 1 },
};

const read: Operation = {
  id: 'getCorrections',
  tag: 'Tests',
  summary: 'What was corrected',
  description: 'Each with both figures of its own time, as if it were the only one.',
  path,
  answer: json(ref('Corrections'), { corrections: [correction] }),
};
const make: Operation = {
  id: 'correctTest',
  tag: 'Tests',
  summary: 'Correct the verdicts of a time that is past',
  description:
    'Judges what was kept of that time by other rules and records what they say. The verdicts of then stay; reports show both. The rules of the test are not changed.',
  path,
  body: {
    schema: ref('NewCorrection'),
    example: {
      rules: [{ type: 'title', op: 'sub', val: 'Shop' }],
      from: '2023-03-22T00:00:00Z',
      reason: 'The rule looked for an old title',
    },
  },
  answer: json(ref('Correction'), correction),
};
const uptime: Operation = {
  id: 'getTestUptime',
  tag: 'Uptime',
  summary: 'How much of a time a test held',
  description: 'By its verdicts: as they were said and, where they were corrected, as they should have been.',
  path,
  query: { start: must(atInstant('Start')), end: may(atInstant('End; now when it is missing')) },
  answer: json(ref('TestUptime'), {
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
