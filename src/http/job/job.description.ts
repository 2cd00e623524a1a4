import { request, response } from '../check/check.description.ts';
import { rule } from '../check/rule.description.ts';
import { alsoUnder, json, jsonLines, may, type Operation, type Operations, why } from '../description/operation.ts';
import { flag, integer, list, number, orNull, record, ref, type Schema, text, word } from '../description/schema.ts';
import { failures, fromTo, ID, idPath, nextCursor, objectId, OTHER_ID, pageOf, unixTime } from '../description/vocabulary.ts';

const status = word(['ok', 'error', 'timeout'], 'What the run found');
const job = {
  jobId: objectId('The job'),
  total: integer('Tests that it runs', { minimum: 0 }),
  failed: integer('Tests that failed', { minimum: 0 }),
  processed: flag('Whether it has ended'),
  givenUp: flag('Whether it was ended without having run everything'),
  persist: flag('Whether its results change the status of the tests'),
  startedAt: unixTime('When it started'),
  duration: number('Seconds', { minimum: 0 }),
  mode: number('0: a whole group or project, 1: selected tests'),
  areas: list(objectId('A group'), 'Groups of its tests'),
};
const found = {
  areaId: text('The group'),
  testId: text('The test; empty in a trial'),
  testName: text('Name of the test'),
  status,
  failures,
  rules: list(ref('Rule'), 'The rules of the test'),
  response: ref('Response'),
  request,
  startedAt: unixTime('When the run started'),
  duration: number('Seconds', { minimum: 0 }),
  confirmed: flag('Whether a second run found the same; a passing run needs none'),
};

const corrected = record('Which verdict should have held then, where it was corrected', {
  correctionId: objectId('The correction'),
  status: orNull(text('The verdict; null: too little was kept to judge it again', { examples: ['ok'] })),
});

/** docs/spec/interface.md#job-results and Start a group; docs/spec/decisions.md#J4 and #J6. */
export const jobSchemas = {
  JobStarted: record('A job', {
    projectId: objectId('The project'),
    jobId: objectId('The job'),
    start: word(['ok'], 'The checks started'),
    results: text('Where its results are', { format: 'uri' }),
  }),
  RunResult: record('What a run of a test found', found, { corrected }),
  TrialResult: record('What a test would have said', { ...found, persist: flag('Always false: nothing was stored', { enum: [false] }) }),
  JobResults: record('A job and what it found so far', { ...job, results: list(ref('RunResult'), 'An entry a test') }),
  Job: record('A job that somebody started', job),
  JobPage: record('A page of jobs', { jobs: list(ref('Job'), 'The newest first'), nextCursor }),
  TestRun: record(
    'A run of a test as it is kept',
    {
      ...{ testId: objectId('The test'), testName: text('Name of the test'), areaId: objectId('The group') },
      at: text('When, to the millisecond', { format: 'date-time' }),
      ...{ startedAt: found.startedAt, duration: found.duration, status, failures, confirmed: found.confirmed },
      confirming: flag('Whether it was to confirm a failure'),
      jobId: orNull(objectId('Of a job that somebody started; null: of the schedule')),
      httpStatus: text('Status code, empty without an answer'),
      size: integer('Bytes of the body', { minimum: 0 }),
      page: orNull(text('SHA-256 of the body', { pattern: '^[0-9a-f]{64}$' })),
    },
    { response: ref('Response'), corrected },
  ),
  TestRunPage: record('A page of runs', { results: list(ref('TestRun'), 'The newest first'), nextCursor }),
} satisfies Readonly<Record<string, Schema>>;

const started = {
  projectId: ID,
  jobId: OTHER_ID,
  start: 'ok',
  results: `https://watchledger.example/api/project/${ID}/job/${OTHER_ID}/results`,
};
const times = { startedAt: 1_679_576_000, duration: 1.4 };
const ended = {
  jobId: OTHER_ID,
  total: 1,
  failed: 0,
  processed: true,
  givenUp: false,
  persist: true,
  ...times,
  mode: 0,
  areas: [OTHER_ID],
};
export const runResult = {
  ...{ areaId: OTHER_ID, testId: ID, testName: 'Homepage', status: 'ok', failures: [], rules: [rule], response },
  ...{ request: { url: 'https://example.com/', method: 'GET' }, startedAt: 1_679_576_000, duration: 0.182, confirmed: true },
};
const kept = {
  ...{ testId: ID, testName: 'Homepage', areaId: OTHER_ID, at: '2023-03-23T12:53:20.000Z', startedAt: 1_679_576_000, duration: 0.182 },
  ...{ status: 'ok', failures: [], confirmed: true, confirming: false, jobId: null, httpStatus: '200', size: 1256, page: null },
};

const start: Operation = {
  id: 'startProject',
  tag: 'Jobs',
  summary: 'Start every enabled test of a project',
  description: 'A start while the same is running joins it and answers its job.',
  path: idPath,
  query: {
    tests: may(list(objectId('A test'), 'Only these; repeat the parameter for each')),
    'keep-alive': may(flag('Answer when the job has ended, at most 120 s')),
    continue: may(flag('Answer a line of JSON each: the start, each result as it is made, last the job results')),
  },
  answer: {
    ...json(ref('JobStarted'), started),
    ...jsonLines({ anyOf: [ref('JobStarted'), ref('RunResult'), ref('JobResults')] }, 'With `continue`: the start, results, the job'),
  },
  refusals: { 404: why('A test or the group was not found, and nothing started') },
};
const history: Operation = {
  id: 'listTestResults',
  tag: 'Tests',
  summary: 'What the runs of a test found',
  description: 'The whole answer of the site stands with the newest run alone.',
  path: { id: objectId('The test') },
  query: { ...fromTo, ...pageOf() },
  answer: json(ref('TestRunPage'), { results: [kept], nextCursor: null }),
};

export const jobOperations: Operations = {
  'GET /project/:id/start': start,
  'GET /project/:id/start/area/:areaId': {
    ...start,
    id: 'startArea',
    summary: 'Start a group, or selected tests of it',
    path: { ...idPath, areaId: objectId('The group') },
  },
  'GET /project/:id/job/:jobId/results': {
    id: 'getJobResults',
    tag: 'Jobs',
    summary: 'What a job found, so far',
    path: { ...idPath, jobId: objectId('The job') },
    answer: json(ref('JobResults'), { ...ended, results: [runResult] }),
    refusals: { 404: why('There is no such job in the project') },
  },
  'GET /project/:id/jobs': {
    id: 'listJobs',
    tag: 'Jobs',
    summary: 'Jobs that somebody started',
    path: idPath,
    query: pageOf(),
    answer: json(ref('JobPage'), { jobs: [ended], nextCursor: null }),
  },
  'GET /test/:id/results': history,
  'GET /tests/:id/results': alsoUnder(history),
};
