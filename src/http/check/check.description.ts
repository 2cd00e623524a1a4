import { checkTypes } from '../../domain/check/settings.ts';
import { alsoUnder, bare, json, may, type Operation, type Operations, why } from '../description/operation.ts';
import { eitherOf, flag, integer, list, number, openRecord, record, ref, type Schema, text, word } from '../description/schema.ts';
import { failures, ID, idPath, objectId, OTHER_ID, readOnly, unixTime } from '../description/vocabulary.ts';
import { newRules, rule } from './rule.description.ts';

const switches = {
  '2': flag('HTTP/1 requests only'),
  '6': flag('IPv6 requests only'),
  g: flag('Do not accept gzip'),
  l: flag('Do not follow redirects'),
};
export const request = record('What was asked for', { url: text('Absolute'), method: word(['GET'], 'Always GET') });
const type = word(checkTypes, 'Kind of test');

/** docs/spec/interface.md#test-check. */
export const checkSchemas = {
  Response: record('The last answer of the site; with empty values where there is none', {
    status: word(['', 'ok', 'error', 'timeout'], 'How the fetch went'),
    httpStatus: text('Status code, empty without an answer'),
    baseUrl: text('Where the fetch ended'),
    contentType: text('As received'),
    httpHeader: text('Raw header block'),
    processTime: number('Seconds', { minimum: 0 }),
    size: eitherOf('Bytes of the body; `false` on error', { type: 'integer', minimum: 0 }, { const: false }),
    redirects: list(text('An absolute URL'), 'Each hop after the first, in order'),
    timing: list(
      record('A phase', { metrics: text('Name'), metric: text('The same'), value: integer('Milliseconds', { minimum: 0 }) }),
      'Phases of the fetch',
    ),
  }),
  TestStatus: record('How a test stands', {
    status: word(['ok', 'error', 'timeout', 'unknown'], '`unknown` before the first run and while disabled'),
    failures,
    rules: list(ref('Rule'), 'The rules of the test'),
    response: ref('Response'),
    lastRun: unixTime('The last run, 0 before the first'),
    lastChange: unixTime('The last change of status, 0 before the first run'),
    request,
  }),
  Test: record('A check: a fetch of a URL and rules over the answer', {
    id: objectId('The test'),
    enabled: flag('Whether it runs'),
    areaId: objectId('Its group'),
    name: text('Empty until the first run when nobody named it'),
    url: text('Absolute, or relative to the URL of the project'),
    notice: text('A note'),
    type,
    run: word(['completed', 'running'], 'Whether a job is at it'),
    flags: list(text('A marker'), 'Markers'),
    rules: list(ref('Rule'), 'The same as in `status`'),
    status: ref('TestStatus'),
    templateId: text('Template, empty without one'),
    templateVars: list(text('A variable'), 'Variables of the template'),
    options: record('How it is fetched', { ...switches, w: text('Extra HTTP headers, one a line') }),
  }),
  NewTest: record(
    'A test, or what is to change of one',
    {},
    {
      url: text('Absolute, or a path relative to the URL of the project', { maxLength: 2048, examples: ['/about'] }),
      name: text('Without one, the title of the page', { maxLength: 200 }),
      enabled: flag('Whether it runs'),
      notice: text('A note', { maxLength: 4000 }),
      type,
      areaId: objectId('A group of the project'),
      rules: newRules,
      options: record(
        'Only supplied keys change',
        {},
        { ...switches, w: text('Extra HTTP headers, one a line', { examples: ['X-From: watchledger'] }) },
      ),
      templateId: text('Template', { maxLength: 100 }),
      templateVars: list(text('A variable', { maxLength: 1000 }), 'Variables of the template', { maxItems: 100 }),
      status: openRecord('Read only but for `rules`, where older clients write them'),
      ...Object.fromEntries(['id', 'run', 'flags', 'projectId'].map((name) => [name, readOnly()])),
    },
  ),
  TestDeleted: record('A test was deleted for good', {
    message: text('In words'),
    success: flag('Always true', { enum: [true] }),
    error: flag('Always false', { enum: [false] }),
  }),
} satisfies Readonly<Record<string, Schema>>;

export const response = {
  ...{ status: 'ok', httpStatus: '200', baseUrl: 'https://example.com/', contentType: 'text/html', httpHeader: 'HTTP/1.1 200 OK\r\n' },
  ...{ processTime: 0.182, size: 1256, redirects: [], timing: [{ metrics: 'Waiting', metric: 'Waiting', value: 96 }] },
};
const status = {
  ...{ status: 'ok', failures: [], rules: [rule], response, lastRun: 1_679_576_000, lastChange: 1_679_400_000 },
  request: { url: 'https://example.com/', method: 'GET' },
};
export const test = {
  ...{ id: ID, enabled: true, areaId: OTHER_ID, name: 'Homepage', url: '/', notice: '', type: 'homepage', run: 'completed', flags: [] },
  ...{ rules: [rule], status, templateId: '', templateVars: [] },
  options: { '2': false, '6': false, g: false, l: false, w: '' },
};

const testPath = { id: objectId('The test') };
const urlMissing = { 400: bare('The URL is missing or invalid') };
const body = { schema: ref('NewTest'), example: { url: '/about', name: 'About us', rules: [{ type: 'title', op: 'sub', val: 'About' }] } };

const create: Operation = {
  id: 'createTest',
  tag: 'Tests',
  summary: 'Create a test',
  description: 'Without `areaId` in the first group of the project; where there is none, one named Public is made.',
  query: { areaId: may(text('A group of the project, when the body names none')), projectId: may(text('The project')) },
  body,
  answer: json(ref('Test'), test),
  refusals: { ...urlMissing, 404: why('There is no such group in the project') },
};
const unscoped: Operation = { ...create, id: 'createTestByQuery', summary: 'Create a test, the project in the query' };
const read: Operation = { id: 'getTest', tag: 'Tests', summary: 'Read a test', path: testPath, answer: json(ref('Test'), test) };
const update: Operation = {
  id: 'updateTest',
  tag: 'Tests',
  summary: 'Change a test',
  description: 'Only what is supplied changes.',
  path: testPath,
  body: { ...body, example: { name: 'Homepage', enabled: false } },
  answer: json(ref('Test'), test),
  refusals: urlMissing,
};
const remove: Operation = {
  id: 'deleteTest',
  tag: 'Tests',
  summary: 'Delete a test',
  path: testPath,
  answer: json(ref('TestDeleted'), { message: 'The test was deleted.', success: true, error: false }),
};

export const checkOperations: Operations = {
  'GET /project/:id/tests': {
    id: 'listTests',
    tag: 'Tests',
    summary: 'Tests of a project',
    path: idPath,
    answer: json(list(ref('Test'), 'In the order in which they were made'), [test]),
  },
  'POST /project/:id/tests': { ...create, path: idPath },
  'POST /test': unscoped,
  'POST /tests': alsoUnder(unscoped),
  'GET /test/:id': read,
  'PUT /test/:id': update,
  'DELETE /test/:id': remove,
  'GET /tests/:id': alsoUnder(read),
  'PUT /tests/:id': alsoUnder(update),
  'DELETE /tests/:id': alsoUnder(remove),
};
