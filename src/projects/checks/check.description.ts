import { checkMethods, checkTypes } from './check.settings.ts';
import { alsoUnder, bare, json, type Operation, type Operations, patches, takes, why } from '../../platform/http/description/operation.ts';
import {
  always,
  constant,
  eitherOf,
  flag,
  integer,
  list,
  named,
  number,
  record,
  type Schema,
  text,
  type ValueOf,
  word,
} from '../../platform/http/description/schema.ts';
import { failures, ID, idPath, moment, objectIdSchema, OTHER_ID, unixTime } from '../../platform/http/description/vocabulary.ts';
import { queryOf } from '../../platform/http/validation/input.ts';
import { CheckDto, CreateCheckQuery } from './check.dto.ts';
import { rule, ruleSchema } from './rule.description.ts';
import { pagedList } from '../../platform/http/lists/list.ts';

export const requestSchema = record('The request of the last run', {
  url: text('Absolute URL'),
  method: word(checkMethods, 'Of the test'),
});

const bytes: Schema<number> = { type: 'integer', minimum: 0 };

/** docs/spec/interface.md#test-check. */
export const responseSchema = named(
  'Response',
  record('The last answer of the site; with empty values before the first one', {
    status: text('Result of the fetch', { enum: ['', 'ok', 'error', 'timeout'] }),
    httpStatus: text('Status code, empty without an answer'),
    baseUrl: text('Final URL of the fetch'),
    contentType: text('As received'),
    httpHeader: text('Raw header block'),
    processTime: number('Seconds', { minimum: 0 }),
    size: eitherOf('Bytes of the body; `false` on error', bytes, constant(false)),
    redirects: list(text('An absolute URL'), 'Each hop after the first, in order'),
    timing: list(
      record('A phase', { metrics: text('Name'), metric: text('The same as `metrics`'), value: integer('Milliseconds', { minimum: 0 }) }),
      'Phases of the fetch',
    ),
  }),
);

const testStatus = named(
  'TestStatus',
  record(
    'Result of the last run of a test',
    {
      status: word(['ok', 'error', 'timeout', 'unknown'], '`unknown` before the first run and while disabled'),
      failures,
      rules: list(ruleSchema, 'The rules of the test'),
      response: responseSchema,
      lastRun: unixTime('Time of the last run, 0 before the first'),
      lastChange: unixTime('Time of the last change of status, 0 before the first run'),
      request: requestSchema,
    },
    {
      skipped: record('The test is not run, because an earlier test of its group gave no value that it uses; the rest is of its last run', {
        since: moment('Since when'),
        reason: text('Which value is missing, and why'),
      }),
    },
  ),
);

const extractionSchema = record(
  'A value of the answer',
  { name: text('How later tests name it'), from: text('Where it stands') },
  {
    secret: flag('Whether it is masked; missing: true'),
    origins: list(text('Scheme, host and port'), 'Other sites to which it may be sent'),
  },
);

export const testSchema = named(
  'Test',
  record('A check: a fetch of a URL and rules over the answer', {
    id: objectIdSchema('The test'),
    enabled: flag('Whether the test runs'),
    areaId: objectIdSchema('Its group'),
    name: text('Empty until the first run when no name was given'),
    url: text('Absolute, or relative to the URL of the project'),
    notice: text('A note'),
    type: word(checkTypes, 'Kind of test'),
    run: word(['completed', 'running'], 'Whether a job is running the test'),
    flags: list(text('A marker'), 'Markers'),
    rules: list(ruleSchema, 'The same as in `status`'),
    status: testStatus,
    templateId: text('Template, empty without one'),
    templateVars: list(text('A variable'), 'Variables of the template'),
    options: record(
      'How the test is fetched',
      {
        '2': flag('HTTP/1 requests only'),
        '6': flag('IPv6 requests only'),
        g: flag('Do not accept gzip'),
        l: flag('Do not follow redirects'),
        w: text('Extra HTTP headers, one a line, their values masked'),
      },
      {
        method: word(checkMethods, 'Method of the request; missing: GET'),
        contentType: text('Content type of the body'),
        body: text('Body of the request, masked; empty without one'),
        extract: list(extractionSchema, 'Values for later tests of the group'),
        uses: list(text('A name'), 'Names of values of earlier tests of the group'),
      },
    ),
  }),
);
export type TestAnswer = ValueOf<typeof testSchema>;

const testDeleted = named(
  'TestDeleted',
  record('A test was deleted permanently', {
    message: text('Confirmation in words'),
    success: always(true, 'Always true'),
    error: always(false, 'Always false'),
  }),
);

export const response: ValueOf<typeof responseSchema> = {
  status: 'ok',
  httpStatus: '200',
  baseUrl: 'https://example.com/',
  contentType: 'text/html',
  httpHeader: 'HTTP/1.1 200 OK\r\n',
  processTime: 0.182,
  size: 1256,
  redirects: [],
  timing: [{ metrics: 'Waiting', metric: 'Waiting', value: 96 }],
};
const status: ValueOf<typeof testStatus> = {
  status: 'ok',
  failures: [],
  rules: [rule],
  response,
  lastRun: 1_679_576_000,
  lastChange: 1_679_400_000,
  request: { url: 'https://example.com/', method: 'GET' },
};
export const test: TestAnswer = {
  id: ID,
  enabled: true,
  areaId: OTHER_ID,
  name: 'Homepage',
  url: '/',
  notice: '',
  type: 'homepage',
  run: 'completed',
  flags: [],
  rules: [rule],
  status,
  templateId: '',
  templateVars: [],
  options: { '2': false, '6': false, g: false, l: false, w: '' },
};

const testPath = { id: objectIdSchema('The test') };
const urlMissing = { 400: bare('The URL is missing or invalid') };

const create: Operation = {
  id: 'createTest',
  tag: 'Tests',
  summary: 'Create a test',
  description: 'Without `areaId` in the first group of the project; in a project without a group, one named Public is created.',
  query: queryOf(CreateCheckQuery),
  body: takes(CheckDto, { url: '/about', name: 'About us', rules: [{ type: 'title', op: 'sub', val: 'About' }] }),
  answer: json(testSchema, test),
  refusals: { ...urlMissing, 404: why('The project has no such group') },
};
const unscoped: Operation = { ...create, id: 'createTestByQuery', summary: 'Create a test, the project in the query' };
const read: Operation = { id: 'getTest', tag: 'Tests', summary: 'Read a test', path: testPath, answer: json(testSchema, test) };
const update: Operation = {
  id: 'updateTest',
  tag: 'Tests',
  summary: 'Change a test',
  description: 'Only supplied fields change.',
  path: testPath,
  body: takes(CheckDto, { name: 'Homepage', enabled: false }),
  answer: json(testSchema, test),
  refusals: urlMissing,
};
const patch: Operation = {
  id: 'patchTest',
  tag: 'Tests',
  summary: 'Change a test by a merge patch',
  path: testPath,
  body: patches(CheckDto, 'TestPatch', { name: 'Homepage', notice: null }),
  answer: json(testSchema, test),
  refusals: urlMissing,
};
const remove: Operation = {
  id: 'deleteTest',
  tag: 'Tests',
  summary: 'Delete a test',
  path: testPath,
  answer: json(testDeleted, { message: 'The test was deleted.', success: true, error: false }),
};

const testStatuses = ['ok', 'error', 'timeout', 'unknown'] as const;
export type TestStatus = (typeof testStatuses)[number];
/** How lists of tests are paged. */
export const testList = { sorts: ['created', 'name'], status: testStatuses, search: ['name', 'url'], defaultLimit: null } as const;

export const checkOperations: Operations = {
  'GET /project/:id/tests': {
    id: 'listTests',
    tag: 'Tests',
    summary: 'List the tests of a project',
    path: idPath,
    list: pagedList(testSchema, { name: 'tests', ...testList }),
    answer: json(list(testSchema, 'In the order of creation'), [test]),
  },
  'POST /project/:id/tests': { ...create, path: idPath },
  'POST /test': unscoped,
  'POST /tests': alsoUnder(unscoped),
  'GET /test/:id': read,
  'PUT /test/:id': update,
  'PATCH /test/:id': patch,
  'DELETE /test/:id': remove,
  'GET /tests/:id': alsoUnder(read),
  'PUT /tests/:id': alsoUnder(update),
  'PATCH /tests/:id': alsoUnder(patch),
  'DELETE /tests/:id': alsoUnder(remove),
};
