import { asText, json, may, type Operations, why } from '../../platform/http/description/operation.ts';
import { flag, integer, list, named, number, orNull, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { idPath, moment, objectIdSchema, uuidSchema } from '../../platform/http/description/vocabulary.ts';

export const EVIDENCE_FILE_TYPE = 'application/vnd.watchledger.evidence+json';

const sha256 = (what: string) => text(`SHA-256 of ${what}`, { pattern: '^[0-9a-f]{64}$', examples: ['5e'.repeat(32)] });
const headers = list(
  record('A header line', {
    name: text('Its name', { examples: ['content-type'] }),
    value: orNull(text('Null for a secret; a cookie without its value', { examples: ['text/html'] })),
  }),
  'In the order in which they were sent',
);
const milliseconds = (what: string, example: number) => number(`Milliseconds: ${what}`, { minimum: 0, examples: [example] });

/** A rule that was judged, with its place on the page. */
export const judgedRule = record('A rule that was in force', {
  owner: word(['group', 'own'], 'Of the group, or of the test', { examples: ['own'] }),
  type: text('What it reads', { examples: ['title'] }),
  op: text('How it compares', { examples: ['sub'] }),
  val: text('What it expects', { examples: ['Shop'] }),
  result: word(['passed', 'failed'], 'What it found', { examples: ['failed'] }),
  sentence: orNull(text('What was expected, and what was found', { examples: ['expected the title to contain "Shop", got "Error"'] })),
  bytes: orNull(
    record(
      'Where on the page it matched; where it did not, what it was compared with. Null for what is no text of the page, and without the page',
      {
        from: integer('The first byte', { minimum: 0, examples: [48] }),
        to: integer('The byte after the last one', { minimum: 0, examples: [53] }),
        line: integer('The line of the first byte', { minimum: 1 }),
      },
    ),
  ),
});

const evidence = named(
  'Evidence',
  record('What an event rests on', {
    event: record('The event', {
      id: uuidSchema('The event'),
      position: text('Position in the whole log', { pattern: '^\\d+$', examples: ['4711'] }),
      type: text('Type of the event', { examples: ['CheckFailed'] }),
      recordedAt: moment('Time at which the log recorded it', '2023-03-23T12:53:20.123456Z'),
    }),
    exchange: sha256('the exchange as it is kept, which the event names and the seal covers'),
    kind: word(['check', 'uptime', 'certificate', 'redirect'], 'What was watched'),
    checkId: orNull(objectIdSchema('The test; null for what is watched for the project')),
    at: moment('Time of the request', '2023-03-23T12:53:19.900Z'),
    location: text('The location that asked', { examples: ['eu'] }),
    request: orNull(
      record('The last request; null when none was sent', {
        method: text('Method', { examples: ['GET'] }),
        url: text('URL', { examples: ['https://shop.example/'] }),
        headers,
        bodyBytes: integer('Size of its body', { minimum: 0 }),
      }),
    ),
    address: orNull(text('The address that was connected to last; null without a connection', { examples: ['192.0.2.7'] })),
    outcome: word(['answered', 'timedOut', 'failed'], 'How it ended'),
    reason: orNull(text('Why there was no answer')),
    answer: orNull(
      record('The answer', {
        url: text('The URL that answered, after redirects', { examples: ['https://shop.example/'] }),
        httpVersion: text('HTTP version', { examples: ['2'] }),
        status: integer('HTTP status', { examples: [500] }),
        statusText: text('Reason phrase', { examples: [''] }),
        headers,
        cut: flag('The body was larger than 5 MiB; its beginning was judged', { examples: [false] }),
        size: integer('Bytes of the body, decoded', { minimum: 0, examples: [4711] }),
        transferred: integer('Bytes of the body on the wire', { minimum: 0, examples: [1234] }),
        page: sha256('the body'),
        kept: flag('Whether the body can be read at `…/evidence/page`'),
      }),
    ),
    redirects: list(
      record('A redirect that was followed', {
        url: text('The URL that answered with it'),
        status: integer('HTTP status'),
        location: text('The `Location` header as sent'),
        to: text('The URL that it leads to'),
        milliseconds: milliseconds('of this hop', 31.2),
      }),
      'In order',
      { examples: [[]] },
    ),
    timings: record('Phases, summed over all redirects', {
      dns: milliseconds('name lookup', 1.5),
      connect: milliseconds('connection', 9.1),
      tls: milliseconds('TLS handshake', 20.4),
      request: milliseconds('sending', 0.2),
      wait: milliseconds('waiting for the answer', 80.1),
      download: milliseconds('the answer', 3.3),
      total: milliseconds('all of it', 114.6),
    }),
    certificate: orNull(
      record('The certificate; null without TLS, or with a resumed session', {
        issuer: text('Issuer', { examples: ['CN=Example CA'] }),
        names: list(text('A host name', { examples: ['shop.example'] }), 'Its names'),
        validTo: text('End of its validity', { examples: ['2023-06-01T00:00:00.000Z'] }),
        key: text('Kind and size of its key', { examples: ['EC P-256'] }),
      }),
    ),
    rules: list(judgedRule, 'In the order in which they are judged; empty where no rules are applied'),
    page: list(text('A sentence'), 'Failures of the page as a whole, such as a known error page', { examples: [[]] }),
  }),
);
export type EvidenceAnswer = ValueOf<typeof evidence>;

const path = { ...idPath, eventId: uuidSchema('The event') };
const notFound = why('The project has no such event, or the event rests on no exchange with the site');
const gone = { ...why('No longer kept; `known` has the hashes that the event names'), schema: 'EvidenceExpired' } as const;

export const evidenceOperations: Operations = {
  'GET /project/:id/history/:eventId/evidence': {
    id: 'getEvidence',
    tag: 'History',
    summary: 'What an event rests on',
    path,
    description:
      'Request and answer behind a verdict, a suspicion, a recovery, and an event of uptime, certificate or redirect. Secrets are left out.',
    query: { format: may(word(['json', 'file'], '`file`: with page, event and inclusion proof, for `watchledger verify`')) },
    answer: { ...json(evidence), ...asText(EVIDENCE_FILE_TYPE, 'A file that `watchledger verify FILE` judges again offline') },
    refusals: { 400: why('`format` is none of its values'), 404: notFound, 410: gone },
  },
  'GET /project/:id/history/:eventId/evidence/page': {
    id: 'getEvidencePage',
    tag: 'History',
    summary: 'The page that an event rests on',
    path,
    description: 'The bytes that were judged, as plain text in the charset of the answer; or what changed since the last page that passed.',
    query: { diff: may(word(['passing'], 'A unified diff against the last page of the test that passed')) },
    answer: asText('text/plain', 'The page as it was sent, or the diff'),
    refusals: {
      400: why('`diff` is none of its values'),
      404: why('The project has no such event, no page was kept with it, or none that passed is kept'),
      410: gone,
    },
  },
};
