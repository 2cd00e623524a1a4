import { testList, testSchema } from '../../projects/checks/check.api.ts';
import { json, type Operations } from '../../platform/http/description/operation.ts';
import { integer, list, named, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { pagedList } from '../../platform/http/lists/list.ts';
import { idPath, nextCursor, objectIdSchema, unixTime } from '../../platform/http/description/vocabulary.ts';

const total = integer('Number of enabled tests', { minimum: 0, examples: [1] });
const failed = integer('Number of failing tests', { minimum: 0 });

/** docs/spec/interface.md#status-summary-full and #simple-status. */
const statusSummary = named(
  'StatusSummary',
  record(
    'Status of a project and its tests',
    {
      project: record('The project as a whole', {
        id: objectIdSchema('The project'),
        lastRun: unixTime('Time of the last run, 0 before the first'),
        lastChange: unixTime('Time of the last change of a status, 0 before the first run', 1_679_400_000),
        reported: word(['', 'ok', 'error', 'timeout'], 'Status of the last notification, empty before the first', { examples: ['ok'] }),
        status: word(['ok', 'error', 'timeout', 'unknown'], 'The worst status of its enabled tests'),
        msg: text('In words', { examples: ['Server returned HTTP status 200'] }),
        shortMessage: text('In one word', { examples: ['200'] }),
        shortMsg: text('The same as `shortMessage`', { examples: ['200'] }),
      }),
      total,
      failed,
      now: unixTime('Time of this answer', 1_679_576_100),
      tests: list(testSchema, 'All tests'),
    },
    { nextCursor },
  ),
);
export type StatusSummaryAnswer = ValueOf<typeof statusSummary>;

const simpleTest = record('A test', {
  name: text('Name', { examples: ['Homepage'] }),
  url: text('Absolute URL', { examples: ['https://example.com/'] }),
  status: text('`OK`, a failure in words, or `Not checked yet`', { examples: ['OK'] }),
});
const simpleStatus = named(
  'SimpleStatus',
  record(
    'Every enabled test in brief',
    {
      tests: list(simpleTest, 'Enabled tests'),
      total,
      failed,
    },
    { nextCursor },
  ),
);
export type SimpleStatusAnswer = ValueOf<typeof simpleStatus>;

export const statusOperations: Operations = {
  'GET /project/:id/status': {
    id: 'getStatus',
    tag: 'Status',
    summary: 'Status of a project, in full',
    path: idPath,
    list: pagedList(testSchema, { name: 'status', member: 'tests', ...testList }),
    answer: json(statusSummary),
  },
  'GET /project/:id/simple-status': {
    id: 'getSimpleStatus',
    tag: 'Status',
    summary: 'Status of a project, in brief',
    path: idPath,
    list: pagedList(simpleTest, { name: 'simple-status', member: 'tests', ...testList }),
    answer: json(simpleStatus),
  },
};
