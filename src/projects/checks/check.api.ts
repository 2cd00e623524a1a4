import { type CheckMethod, checkMethods, type CheckType, checkTypes } from './check.settings.ts';
import { readExtraHeaders } from './extra-headers.ts';
import {
  openRecord,
  text,
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
  type ValueOf,
  word,
} from '../../platform/http/description/schema.ts';
import { MASK } from '../../kernel/text.ts';
import { anyText, idOf, object, oneOf, plainText, readLater, texts, trimmed, yesOrNo } from '../../platform/http/validation/fields.ts';
import { InlineInput, Input, type InputField, Optional, OptionalOrNull, ReadOnly, queryOf } from '../../platform/http/validation/input.ts';
import { type ExtractionInput, extractions, usedNames } from './extraction.dto.ts';
import { newRules, type RuleInput, ruleSchema } from './rule.api.ts';
import { alsoUnder, bare, json, type Operation, type Operations, patches, takes, why } from '../../platform/http/description/operation.ts';
import { failures, idPath, moment, objectIdSchema, OTHER_ID, unixTime } from '../../platform/http/description/vocabulary.ts';
import { pagedList } from '../../platform/http/lists/list.ts';

/** Extra headers, one a line (docs/spec/decisions.md#T10), with single line ends in answers. */
const extraHeaders: InputField<string> = {
  schema: text(
    `Extra HTTP headers, one a line; answers show \`${MASK}\` for each value, which sent back keeps it. They are sent to one site only`,
    { examples: ['X-From: watchledger'] },
  ),
  read: (given) => {
    const read = typeof given === 'string' ? readExtraHeaders(given) : null;
    return read?.ok ? read.headers.map(([name, value]) => `${name}: ${value}`).join('\n') : given;
  },
  accepts: (given) => given === MASK || (typeof given === 'string' && readExtraHeaders(given).ok),
  must: (given) => {
    const read = typeof given === 'string' ? readExtraHeaders(given) : null;
    return read === null || read.ok ? 'must be text, one header a line' : read.reason;
  },
};

/** Printable ASCII, such as `application/json; charset=utf-8`. */
const contentType: InputField<string> = {
  schema: text('Content type of the body; empty: that of the extra headers, else plain text', {
    maxLength: 200,
    examples: ['application/json'],
  }),
  accepts: (given) => typeof given === 'string' && given.length <= 200 && /^[ -~]*$/.test(given),
  must: 'must be at most 200 printable characters of ASCII',
};

const MAX_BODY = 8 * 1024;
/** A secret, as the values of extra headers (docs/spec/decisions.md#T18). */
const body: InputField<string> = {
  schema: text(`Body of the request, at most 8 KiB; answers show \`${MASK}\`, which sent back keeps it; empty removes it`, {
    maxLength: MAX_BODY,
  }),
  accepts: (given) => typeof given === 'string' && Buffer.byteLength(given) <= MAX_BODY && !/[\ud800-\udfff]/u.test(given),
  must: 'must be well-formed text of at most 8 KiB',
};

@InlineInput('How its tests are fetched')
export class AreaOptionsInput {
  @OptionalOrNull(extraHeaders) w?: string | null;
}

/** docs/spec/interface.md#test-check: only supplied keys change. */
@InlineInput('How the test is fetched; only supplied keys change')
export class CheckOptionsInput {
  @Optional(yesOrNo('HTTP/1 requests only')) '2'?: boolean;
  @Optional(yesOrNo('IPv6 requests only')) '6'?: boolean;
  @Optional(yesOrNo('Do not accept gzip')) g?: boolean;
  @Optional(yesOrNo('Do not follow redirects')) l?: boolean;
  @OptionalOrNull(extraHeaders) w?: string | null;
  @OptionalOrNull(oneOf('Method of the request', checkMethods)) method?: CheckMethod | null;
  @OptionalOrNull(contentType) contentType?: string | null;
  @OptionalOrNull(body) body?: string | null;
  @OptionalOrNull(extractions) extract?: ExtractionInput[] | null;
  @OptionalOrNull(usedNames) uses?: string[] | null;
}

/** Older clients write the rules here. */
@InlineInput('Read only except `rules`', { open: true })
class CheckStatusInput {
  @Optional(newRules) rules?: RuleInput[];
}

export const checkUrlField = readLater(
  text('Absolute, or a path relative to the URL of the project', { maxLength: 2048, examples: ['/about'] }),
);
export const checkType = oneOf('Kind of test', checkTypes);
export const templateId = plainText('Template', 100);
export const templateVars = texts('Variables of the template', { item: 'A variable', maxLength: 1000, maxItems: 100 });

/** The fields of a Test that a client may write, and those that it may send back as it got them (docs/spec/decisions.md#T1, #T2). */
@Input('NewTest', 'A test, or the changes to one')
export class CheckDto {
  /** Read by `readCheckUrl`, whose refusal has a body of its own. */
  @Optional(checkUrlField) url?: unknown;
  @Optional(trimmed(plainText('Without a name, the title of the page', 200))) name?: string;
  @Optional(yesOrNo('Whether the test runs')) enabled?: boolean;
  @Optional(plainText('A note', 4000)) notice?: string;
  @Optional(checkType) type?: CheckType;
  @Optional(idOf('A group of the project', 'must be the id of a group of the project')) areaId?: string;
  @Optional(newRules) rules?: RuleInput[];
  @Optional(object(CheckOptionsInput)) options?: CheckOptionsInput;
  @Optional(templateId) templateId?: string;
  @Optional(templateVars) templateVars?: string[];
  @Optional(object(CheckStatusInput, openRecord('Read only except `rules`, which older clients write here'))) status?: CheckStatusInput;
  @ReadOnly() id?: unknown;
  @ReadOnly() run?: unknown;
  @ReadOnly() flags?: unknown;
  @ReadOnly() projectId?: unknown;
}

export class CreateCheckQuery {
  @Optional(anyText('A group of the project, when the body names none')) areaId?: string;
  @Optional(anyText('The project')) projectId?: string;
}

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
