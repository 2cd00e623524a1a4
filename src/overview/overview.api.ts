import { exampleOf } from '../platform/http/description/example.ts';
import { json, may, must, type Operations, why } from '../platform/http/description/operation.ts';
import { flag, integer, list, named, number, orNull, record, text, type ValueOf, word } from '../platform/http/description/schema.ts';
import { atInstant, idPath, instant, moment, objectIdSchema } from '../platform/http/description/vocabulary.ts';

/** Projects whose figures one request may ask for: more than a screen has lines. */
export const MAX_FIGURES = 60;

const problem = {
  kind: word(['uptime', 'check', 'certificate', 'redirect'], 'What is watched', { examples: ['check'] }),
  severity: word(['failing', 'warning'], 'Whether it fails, or will'),
  since: orNull(instant('Since when; null: not known')),
  sentence: text('What was expected and what was found', { examples: ['expected status 200, found 500'] }),
  test: orNull(record('Of a check', { id: objectIdSchema('The test'), name: text('Its name', { examples: ['Cart'] }) })),
  event: orNull(
    text('Id of the event by which the service knows of it', { format: 'uuid', examples: ['0b5e3c52-6a3e-5b0c-9d1e-2f8a7c1d4e90'] }),
  ),
};

const alerts = record('What became of the alerts about the failure, in messages', {
  delivered: integer('Delivered', { minimum: 0, examples: [2] }),
  deliveredAt: orNull(instant('When the last of them was delivered')),
  underWay: integer('Sent, and not yet answered', { minimum: 0 }),
  givenUp: integer('Given up', { minimum: 0 }),
  due: orNull(moment('When the first of those that wait is due', '2023-03-23T12:53:20.118Z')),
  recipients: orNull(integer('Members who are to be alerted of such a failure; null: that cannot be read', { minimum: 0, examples: [2] })),
  fromFirst: flag('It failed from its first measurement, of which no alert is sent'),
});

const projectProblem = named(
  'ProjectProblem',
  record('Something that a person should look at', { ...problem, alerts: orNull({ ...alerts, description: 'Of what fails' }) }),
);
export type ProjectProblemAnswer = ValueOf<typeof projectProblem>;

const overview = named(
  'Overview',
  record('What needs attention in the projects of the caller', {
    total: integer('Projects', { minimum: 0, examples: [148] }),
    attention: integer('Projects with a problem', { minimum: 0, examples: [1] }),
    inMaintenance: integer('Projects without a problem that are in maintenance', { minimum: 0, examples: [1] }),
    unknown: integer('Projects of the others of which no check was judged and no uptime measured yet', { minimum: 0 }),
    isComplete: flag('False: not every problem was read'),
    problems: list(
      record('A problem', {
        project: record('Where', { id: objectIdSchema('The project'), title: text('Its title', { examples: ['Checkout'] }) }),
        ...problem,
      }),
      'The worst first, of a project the worst check; at most 50',
    ),
  }),
);
export type OverviewAnswer = ValueOf<typeof overview>;

const projectOverview = named(
  'ProjectOverview',
  record('What is wrong with a project', {
    problems: list(projectProblem, 'The worst first; at most 50 checks'),
  }),
);
export type ProjectOverviewAnswer = ValueOf<typeof projectOverview>;

const perDay = (of: string) => list(integer('Seconds', { minimum: 0 }), `Seconds ${of}, of each day`);

const figures = named(
  'ProjectFigures',
  record('What a line of the overview shows of a project', {
    id: objectIdSchema('The project'),
    state: word(['working', 'failing', 'warning', 'maintenance', 'unknown'], 'State by everything that is watched'),
    measuredAt: orNull(instant('The last measurement of a site that is silent for 15 minutes; otherwise null')),
    maintenanceUntil: orNull(instant('End of the maintenance that is under way')),
    nextMaintenance: orNull(instant('Start of the next planned maintenance, within 31 days')),
    days: record('90 UTC days up to now; the rest of a day it was up', {
      from: text('The first day', { examples: ['2023-03-23'] }),
      down: perDay('down'),
      unknown: perDay('without measurements'),
      maintenance: perDay('of planned work'),
    }),
    month: record('The last 30 days without planned work', {
      up: orNull(number('Percent of the measured time; null: nothing was measured', { examples: [99.982] })),
      measuredSeconds: integer('Measured time', { minimum: 0, examples: [2_592_000] }),
    }),
    response: record('Response times of the last 24 hours', {
      from: instant('Begin of the first step'),
      stepSeconds: integer('Length of a step', { examples: [1800] }),
      milliseconds: list(orNull(integer('Milliseconds', { examples: [214] })), 'Median of each step; null: not measured'),
      median: orNull(integer('Milliseconds', { examples: [214] })),
    }),
    certificateDays: orNull(integer('Days until the certificate expires', { examples: [41] })),
  }),
);
export type FiguresAnswer = ValueOf<typeof figures>;

const figuresList = record('Figures', { figures: list(figures, 'In the order of the list of projects') });
export type FiguresListAnswer = ValueOf<typeof figuresList>;

const marks = record('Events on a bar of time', {
  marks: list(
    record('An event', {
      at: moment('When it was recorded', '2023-03-23T12:53:20.118Z'),
      kind: word(['failure', 'maintenance', 'change'], 'What it is about'),
      position: text('Its position in the log', { examples: ['48112'] }),
      project: objectIdSchema('The project'),
      event: text('Its id', { format: 'uuid', examples: ['0b5e3c52-6a3e-5b0c-9d1e-2f8a7c1d4e90'] }),
    }),
    'In the order of the log; of more than 1,000 the newest',
  ),
  isComplete: flag('False: there are more'),
});
export type MarksAnswer = ValueOf<typeof marks>;

/** docs/spec/beyond.md#B29. */
export const overviewOperations: Operations = {
  'GET /projects/overview': {
    id: 'getOverview',
    tag: 'Projects',
    summary: 'Read what needs attention in all projects',
    answer: json(overview),
  },
  'GET /projects/figures': {
    id: 'listFigures',
    tag: 'Projects',
    summary: 'Read the figures of some projects',
    description: 'Projects that the caller may not read are left out.',
    query: { ids: must(text(`Ids of up to ${String(MAX_FIGURES)} projects, separated by commas`)) },
    answer: json(figuresList, { figures: [exampleOf(figures, { measuredAt: null, maintenanceUntil: null, nextMaintenance: null })] }),
    refusals: { 400: why('No id, or too many') },
  },
  'GET /projects/marks': {
    id: 'listMarks',
    tag: 'Projects',
    summary: 'List the events on a bar of time',
    description: 'Failures, maintenance and changes of settings in the projects that the caller may follow, or in one of them.',
    query: {
      from: must(atInstant('Begin')),
      to: must(atInstant('End')),
      project: may(objectIdSchema('Of this project alone')),
    },
    answer: json(marks),
    refusals: { 400: why('No span') },
  },
  'GET /project/:id/overview': {
    id: 'getProjectOverview',
    tag: 'Projects',
    summary: 'Read what is wrong with a project',
    path: idPath,
    answer: json(projectOverview),
  },
};
