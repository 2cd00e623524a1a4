import { test } from '../check/check.description.ts';
import { json, type Operations } from '../description/operation.ts';
import { integer, list, record, ref, text, word } from '../description/schema.ts';
import { ID, idPath, objectId, unixTime } from '../description/vocabulary.ts';

const total = integer('Enabled tests', { minimum: 0 });
const failed = integer('Those that fail', { minimum: 0 });

/** docs/spec/interface.md#status-summary-full and #simple-status. */
export const statusSchemas = {
  StatusSummary: record('How a project and its tests stand', {
    project: record('The project as a whole', {
      id: objectId('The project'),
      lastRun: unixTime('The last run, 0 before the first'),
      lastChange: unixTime('The last change of a status, 0 before the first run'),
      reported: word(['', 'ok', 'error', 'timeout'], 'What was last notified, empty before that'),
      status: word(['ok', 'error', 'timeout', 'unknown'], 'The worst of its enabled tests'),
      msg: text('In words'),
      shortMessage: text('In a word'),
      shortMsg: text('The same'),
    }),
    total,
    failed,
    now: unixTime('When this was so'),
    tests: list(ref('Test'), 'All of them'),
  }),
  SimpleStatus: record('Every enabled test in a line', {
    tests: list(
      record('A test', { name: text('Name'), url: text('Absolute'), status: text('`OK`, a failure in words, or `Not checked yet`') }),
      'Enabled ones',
    ),
    total,
    failed,
  }),
};

const words = { msg: 'Server returned HTTP status 200', shortMessage: '200', shortMsg: '200' };

export const statusOperations: Operations = {
  'GET /project/:id/status': {
    id: 'getStatus',
    tag: 'Status',
    summary: 'Status of a project, in full',
    path: idPath,
    answer: json(ref('StatusSummary'), {
      project: { id: ID, lastRun: 1_679_576_000, lastChange: 1_679_400_000, reported: 'ok', status: 'ok', ...words },
      total: 1,
      failed: 0,
      now: 1_679_576_100,
      tests: [test],
    }),
  },
  'GET /project/:id/simple-status': {
    id: 'getSimpleStatus',
    tag: 'Status',
    summary: 'Status of a project, in brief',
    path: idPath,
    answer: json(ref('SimpleStatus'), { tests: [{ name: 'Homepage', url: 'https://example.com/', status: 'OK' }], total: 1, failed: 0 }),
  },
};
