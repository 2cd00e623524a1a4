import { METHOD_NAME } from '../../projects/objectives/objective.settings.ts';
import { MONTH } from './month.ts';
import { asText, json, may, type Operations } from '../../platform/http/description/operation.ts';
import { anything, integer, list, named, number, openRecord, orNull, record, text, word } from '../../platform/http/description/schema.ts';
import { atInstant, idPath, moment } from '../../platform/http/description/vocabulary.ts';
import { availabilityMethodSchema } from '../../projects/objectives/objective.api.ts';
import { statementFormats } from './statement-query.ts';

const milliseconds = (description: string, example = 0) => integer(`${description}, in milliseconds`, { minimum: 0, examples: [example] });

const figures = openRecord('The figures of one method', {
  method: text('Its name', { examples: ['standard'] }),
  availability: orNull(
    number('Percent, rounded as the method says; null: no time counts', { minimum: 0, maximum: 100, examples: [99.997] }),
  ),
  upMs: milliseconds('Up', 2_678_340_000),
  downMs: milliseconds('Down', 60_000),
  unknownMs: milliseconds('Without measurements'),
  maintenanceMs: milliseconds('Left out as maintenance'),
  countedMs: milliseconds('Up and down together', 2_678_400_000),
  downtimeByCause: list(
    record('A cause', { cause: text('The cause', { examples: ['connection refused'] }), ms: milliseconds('Counted downtime', 60_000) }),
    'The longest first',
  ),
});

const statement = named(
  'Statement',
  openRecord('An SLA report with its evidence', {
    format: text('watchledger-statement/1', { examples: ['watchledger-statement/1'] }),
    span: record('What it is about', {
      month: orNull(text('The calendar month; null: another span', { examples: ['2026-10'] })),
      from: moment('Start', '2026-10-01T00:00:00.000Z'),
      to: moment('End', '2026-11-01T00:00:00.000Z'),
      until: moment('The end of what is known; before `to` while the span is not over', '2026-11-01T00:00:00.000Z'),
      offsetMinutes: integer('UTC offset of days and months', { minimum: -720, maximum: 840, examples: [0] }),
    }),
    edition: orNull(
      record('Of the statement of a closed month; null: it is not kept', {
        number: integer('From 1', { minimum: 1 }),
        supersedes: orNull(
          record('The edition before', {
            number: integer('Its number'),
            sha256: text('Its hash'),
            event: text('The event that issued it'),
          }),
        ),
      }),
    ),
    objective: orNull(anything('Target and credits, with the event that set them')),
    methods: list(anything('A method in words and as data', { anyOf: [availabilityMethodSchema, {}] }), 'Side by side', { examples: [[]] }),
    figures: list(figures, 'One for each method'),
    responseTimes: orNull(anything('Number of responses and percentiles in milliseconds')),
    incidents: list(anything('From, to, length, cause and event'), 'Confirmed failures', { examples: [[]] }),
    maintenance: list(anything('A window, its events and its occurrences in the span'), 'Windows that reach into the span', {
      examples: [[]],
    }),
    corrections: list(anything('A correction with its event'), 'Corrections of checks in the span', { examples: [[]] }),
    days: list(anything('A UTC day: its event, and its intervals in milliseconds since midnight'), 'Every day of the span', {
      examples: [[]],
    }),
    streams: list(anything('First and last revision'), 'The streams of the evidence', { examples: [[]] }),
    evidence: anything('Every event as a leaf, with its inclusion path', { examples: [{ hashes: [], events: [] }] }),
    checkpoint: text('The signed note that all paths lead to, with cosignatures', {
      examples: ['watch.example/api/ledger\n20\nqg==\n\n— watch.example/api/ledger AAAA\n'],
    }),
    keys: list(
      text('NAME+ID+BASE64', { examples: ['watch.example/api/ledger+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'] }),
      'The verifier keys of the signature',
    ),
    pageSha256: text('SHA-256 of the HTML file without the data in it, in hexadecimal', {
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    signature: text('Signature lines over the canonical JSON of all other members, and a line feed', {
      examples: ['— watch.example/api/ledger AAAA\n'],
    }),
  }),
);

export const statementOperations: Operations = {
  'GET /project/:id/statement': {
    id: 'getStatement',
    tag: 'Uptime',
    summary: 'SLA report with its evidence, which its receiver can compute again',
    path: idPath,
    description:
      'One HTML file that verifies itself offline in a browser, or with `format=json` the data in it. Verify either with `watchledger verify FILE --key VKEY`. The statement of a month that is over and closed is issued once, when the agreed witnesses have cosigned the log as far as it rests on it: asked again it has the same bytes, ' +
      'and evidence that is recorded later makes a second edition that names the first.',
    query: {
      month: may(text('A calendar month; instead of `from` and `to`', { pattern: MONTH.source, examples: ['2026-10'] })),
      from: may(atInstant('Start of another span')),
      to: may(atInstant('Its end, at most 366 days later')),
      offset: may(text('UTC offset of days and months; missing: that of the objective', { examples: ['+01:00'] })),
      method: may(
        text('Methods, separated by commas; missing: all of the objective', { pattern: `${METHOD_NAME.source.slice(0, -1)}(,.+)?$` }),
      ),
      format: may(
        word(statementFormats, 'A file to read and print, or the data alone. Takes precedence over `Accept`', { default: 'html' }),
      ),
    },
    answer: { ...json(statement, { edition: { number: 1, supersedes: null } }), ...asText('text/html', 'The file, with the data in it') },
  },
};
