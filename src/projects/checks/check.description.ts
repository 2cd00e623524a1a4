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
import { failures, idPath, moment, objectIdSchema, OTHER_ID, unixTime } from '../../platform/http/description/vocabulary.ts';
import { queryOf } from '../../platform/http/validation/input.ts';
import { CheckDto, CreateCheckQuery } from './check.dto.ts';
import { ruleSchema } from './rule.description.ts';
import { pagedList } from '../../platform/http/lists/list.ts';

export const requestSchema = record('The request of the last run', {
  url: text('Absolute URL', { examples: ['https://example.com/'] }),
  method: word(checkMethods, 'Of the test'),
});

const bytes: Schema<number> = { type: 'integer', minimum: 0, examples: [1256] };

/** docs/spec/interface.md#test-check. */
export const responseSchema = named(
  'Response',
  record('The last answer of the site; with empty values before the first one', {
    status: text('Result of the fetch', { enum: ['', 'ok', 'error', 'timeout'], examples: ['ok'] }),
    httpStatus: text('Status code, empty without an answer', { examples: ['200'] }),
    baseUrl: text('Final URL of the fetch', { examples: ['https://example.com/'] }),
    contentType: text('As received', { examples: ['text/html'] }),
    httpHeader: text('Raw header block', { examples: ['HTTP/1.1 200 OK\r\n'] }),
    processTime: number('Seconds', { minimum: 0, examples: [0.182] }),
    size: eitherOf('Bytes of the body; `false` on error', bytes, constant(false)),
    redirects: list(text('An absolute URL'), 'Each hop after the first, in order', { examples: [[]] }),
    timing: list(
      record('A phase', {
        metrics: text('Name', { examples: ['Waiting'] }),
        metric: text('The same as `metrics`', { examples: ['Waiting'] }),
        value: integer('Milliseconds', { minimum: 0, examples: [96] }),
      }),
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
      lastChange: unixTime('Time of the last change of status, 0 before the first run', 1_679_400_000),
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
    areaId: objectIdSchema('Its group', OTHER_ID),
    name: text('Empty until the first run when no name was given', { examples: ['Homepage'] }),
    url: text('Absolute, or relative to the URL of the project', { examples: ['/'] }),
    notice: text('A note', { examples: [''] }),
    type: word(checkTypes, 'Kind of test'),
    run: word(['completed', 'running'], 'Whether a job is running the test'),
    flags: list(text('A marker'), 'Markers', { examples: [[]] }),
    rules: list(ruleSchema, 'The same as in `status`'),
    status: testStatus,
    templateId: text('Template, empty without one', { examples: [''] }),
    templateVars: list(text('A variable'), 'Variables of the template', { examples: [[]] }),
    options: record(
      'How the test is fetched',
      {
        '2': flag('HTTP/1 requests only', { examples: [false] }),
        '6': flag('IPv6 requests only', { examples: [false] }),
        g: flag('Do not accept gzip', { examples: [false] }),
        l: flag('Do not follow redirects', { examples: [false] }),
        w: text('Extra HTTP headers, one a line, their values masked', { examples: [''] }),
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
    message: text('Confirmation in words', { examples: ['The test was deleted.'] }),
    success: always(true, 'Always true'),
    error: always(false, 'Always false'),
  }),
);

const testPath = { id: objectIdSchema('The test') };
const urlMissing = { 400: bare('The URL is missing or invalid') };

const create: Operation = {
  id: 'createTest',
  tag: 'Tests',
  summary: 'Create a test',
  description: 'Without `areaId` in the first group of the project; in a project without a group, one named Public is created.',
  query: queryOf(CreateCheckQuery),
  body: takes(CheckDto, { url: '/about', name: 'About us', rules: [{ type: 'title', op: 'sub', val: 'About' }] }),
  answer: json(testSchema),
  refusals: { ...urlMissing, 404: why('The project has no such group') },
};
const unscoped: Operation = { ...create, id: 'createTestByQuery', summary: 'Create a test, the project in the query' };
const read: Operation = { id: 'getTest', tag: 'Tests', summary: 'Read a test', path: testPath, answer: json(testSchema) };
const update: Operation = {
  id: 'updateTest',
  tag: 'Tests',
  summary: 'Change a test',
  description: 'Only supplied fields change.',
  path: testPath,
  body: takes(CheckDto, { name: 'Homepage', enabled: false }),
  answer: json(testSchema),
  refusals: urlMissing,
};
const patch: Operation = {
  id: 'patchTest',
  tag: 'Tests',
  summary: 'Change a test by a merge patch',
  path: testPath,
  body: patches(CheckDto, 'TestPatch', { name: 'Homepage', notice: null }),
  answer: json(testSchema),
  refusals: urlMissing,
};
const remove: Operation = {
  id: 'deleteTest',
  tag: 'Tests',
  summary: 'Delete a test',
  path: testPath,
  answer: json(testDeleted),
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
    answer: json(list(testSchema, 'In the order of creation')),
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
