import { requestSchema, responseSchema } from '../../projects/checks/check.api.ts';
import { ruleSchema } from '../../projects/checks/rule.api.ts';
import { alsoUnder, json, jsonLines, may, type Operation, type Operations, why } from '../../platform/http/description/operation.ts';
import {
  always,
  flag,
  integer,
  list,
  named,
  number,
  orNull,
  record,
  text,
  type ValueOf,
  word,
} from '../../platform/http/description/schema.ts';
import {
  failures,
  fromTo,
  ID,
  idPath,
  nextCursor,
  objectIdSchema,
  OTHER_ID,
  unixTime,
} from '../../platform/http/description/vocabulary.ts';
import { judgedRule } from '../evidence/evidence.api.ts';
import { pagedList, shortList } from '../../platform/http/lists/list.ts';

const jobFields = {
  jobId: objectIdSchema('The job', OTHER_ID),
  total: integer('Tests in the job', { minimum: 0, examples: [1] }),
  failed: integer('Failed tests', { minimum: 0 }),
  processed: flag('Whether the job has ended'),
  givenUp: flag('Whether it was abandoned before every test had run', { examples: [false] }),
  persist: flag('Whether its results change the status of the tests'),
  startedAt: unixTime('Time of the start'),
  duration: number('Seconds', { minimum: 0, examples: [1.4] }),
  mode: number('0: a whole group or project, 1: selected tests', { examples: [0] }),
  areas: list(objectIdSchema('A group', OTHER_ID), 'Groups of its tests'),
};
const resultFields = {
  areaId: text('The group', { examples: [OTHER_ID] }),
  testId: text('The test; empty in a trial', { examples: [ID] }),
  testName: text('Name of the test', { examples: ['Homepage'] }),
  status: word(['ok', 'error', 'timeout'], 'Result of the run'),
  failures,
  rules: list(ruleSchema, 'The rules of the test'),
  response: responseSchema,
  request: requestSchema,
  startedAt: unixTime('Start of the run'),
  duration: number('Seconds', { minimum: 0, examples: [0.182] }),
  confirmed: flag('Whether a second run confirmed the result; a passing run needs none'),
};

const corrected = record('The corrected verdict, where the run was corrected', {
  correctionId: objectIdSchema('The correction'),
  status: orNull(text('The verdict; null: the run was not kept completely enough to be judged again', { examples: ['ok'] })),
});

/** docs/spec/interface.md#job-results; docs/spec/decisions.md#J4, #J6. */
const jobStarted = named(
  'JobStarted',
  record('A started job', {
    projectId: objectIdSchema('The project'),
    jobId: objectIdSchema('The job', OTHER_ID),
    start: word(['ok'], 'The checks started'),
    results: text('URL of its results', {
      format: 'uri',
      examples: [`https://watchledger.example/api/project/${ID}/job/${OTHER_ID}/results`],
    }),
  }),
);

const runResultSchema = named('RunResult', record('Result of a run of a test', resultFields, { corrected }));
const resultStatus = ['ok', 'error', 'timeout'] as const;
const resultsOfJob = shortList(runResultSchema, {
  name: 'job-results',
  member: 'results',
  key: 'testId',
  sorts: ['startedAt', 'testName', 'duration'],
  search: ['testName'],
  status: { words: resultStatus, of: ({ status }) => status },
});

const trialFindings = record('What the rules found; only where `page` was asked for', {
  rules: list(judgedRule, 'In the order in which they are judged'),
  page: orNull(text('The page as it came, its first MiB; null where none came, and where it may hold a secret that the test extracts')),
});
export type TrialFindingsAnswer = ValueOf<typeof trialFindings>;

export const trialResult = named(
  'TrialResult',
  record('Result of a trial', { ...resultFields, persist: always(false, 'Always false: nothing was stored') }, { findings: trialFindings }),
);

const jobResults = named(
  'JobResults',
  record('A job and its results so far', { ...jobFields, results: list(runResultSchema, 'One entry per test') }, { nextCursor }),
);

const jobSchema = named('Job', record('A job that was started on request', jobFields));
export type JobAnswer = ValueOf<typeof jobSchema>;
const jobPage = named('JobPage', record('A page of jobs', { jobs: list(jobSchema, 'The newest first'), nextCursor }));

const testRun = named(
  'TestRun',
  record(
    'A stored run of a test',
    {
      testId: objectIdSchema('The test'),
      testName: resultFields.testName,
      areaId: objectIdSchema('The group', OTHER_ID),
      at: text('Time, to the millisecond', { format: 'date-time', examples: ['2023-03-23T12:53:20.000Z'] }),
      startedAt: resultFields.startedAt,
      duration: resultFields.duration,
      status: resultFields.status,
      failures,
      confirmed: resultFields.confirmed,
      confirming: flag('Whether the run was to confirm a failure', { examples: [false] }),
      jobId: orNull(objectIdSchema('Its job; null: a scheduled run')),
      httpStatus: text('Status code, empty without an answer', { examples: ['200'] }),
      size: integer('Bytes of the body', { minimum: 0, examples: [1256] }),
      page: orNull(text('SHA-256 of the body', { pattern: '^[0-9a-f]{64}$' })),
    },
    { response: responseSchema, corrected },
  ),
);
export type TestRunAnswer = ValueOf<typeof testRun>;
const testRunPage = named('TestRunPage', record('A page of runs', { results: list(testRun, 'The newest first'), nextCursor }));
const start: Operation = {
  id: 'startProject',
  tag: 'Jobs',
  summary: 'Start every enabled test of a project',
  description: 'A start during an identical running job joins it and answers its id.',
  path: idPath,
  query: {
    tests: may(list(objectIdSchema('A test'), 'Only these; repeat the parameter for each')),
    'keep-alive': may(flag('Answer when the job has ended, after at most 120 s')),
    continue: may(flag('Answer JSON lines: the start, each result as it arrives, last the job results')),
  },
  answer: {
    ...json(jobStarted),
    ...jsonLines({ anyOf: [jobStarted, runResultSchema, jobResults] }, 'With `continue`: the start, results, the job'),
  },
  refusals: { 404: why('A test or the group was not found, and nothing started') },
};
const history: Operation = {
  id: 'listTestResults',
  tag: 'Tests',
  summary: 'List the runs of a test',
  description: 'Only the newest run has the whole answer of the site.',
  path: { id: objectIdSchema('The test') },
  query: fromTo,
  list: pagedList(testRun, { name: 'test-results', member: 'results', sorts: ['-at'], status: resultStatus, defaultLimit: 100 }),
  answer: json(testRunPage),
};

export const jobOperations: Operations = {
  'GET /project/:id/start': start,
  'GET /project/:id/start/area/:areaId': {
    ...start,
    id: 'startArea',
    summary: 'Start a group, or selected tests of it',
    path: { ...idPath, areaId: objectIdSchema('The group') },
  },
  'GET /project/:id/job/:jobId/results': {
    id: 'getJobResults',
    tag: 'Jobs',
    summary: 'Read the results of a job so far',
    path: { ...idPath, jobId: objectIdSchema('The job') },
    list: resultsOfJob,
    answer: json(jobResults),
    refusals: { 403: why('The project has no such job') },
  },
  'GET /project/:id/jobs': {
    id: 'listJobs',
    tag: 'Jobs',
    summary: 'List the jobs of a project',
    path: idPath,
    list: pagedList(jobSchema, { name: 'jobs', member: 'jobs', sorts: ['-startedAt'], defaultLimit: 100, otherParameters: [] }),
    answer: json(jobPage),
  },
  'GET /test/:id/results': history,
  'GET /tests/:id/results': alsoUnder(history),
};
