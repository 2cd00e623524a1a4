import { asText, bytes, json, jsonLines, type Operations, why } from '../description/operation.ts';
import { integer, list, openRecord, record, ref, type Schema, text } from '../description/schema.ts';
import { fromTo, ID, idPath, uuid } from '../description/vocabulary.ts';

const hashes = list(text('A hash in base64', { pattern: '^[A-Za-z0-9+/]{43}=$' }), 'Hashes from the leaf to the root');
const leaf = text('Canonical JSON of what the log holds (RFC 8785)');
const index = integer('Position of the event', { minimum: 0 });

/** docs/spec/beyond.md#B5. */
export const ledgerSchemas = {
  Proof: record('That an event stands in the sealed log', {
    index,
    size: integer('Size of the tree', { minimum: 1 }),
    leaf,
    path: hashes,
    checkpoint: text('A signed note'),
  }),
  ExportHead: openRecord('The signed first line of an export', {
    format: text('Format of the file'),
    project: text('The project'),
    count: integer('How many events follow', { minimum: 0 }),
    checkpoint: text('A signed note'),
    signature: text('Over everything else in the line'),
  }),
  ExportRow: record('An event of an export', { index, leaf, path: hashes }),
} satisfies Readonly<Record<string, Schema>>;

const note = 'watchledger.example/1f2e\n4712\nq83vEjRWeJA6uPHaBJnuTsXmTwhzqWMNiSPySZCzdYk=\n\n— watchledger.example/1f2e base64signature\n';
const tile = {
  path: { tile: text('Level and index as in C2SP tlog-tiles, such as `0/000` or `0/x001/234.p/7`', { examples: ['0/000'] }) },
};
const missing = { 404: why('It is not there, or not yet') };

export const ledgerOperations: Operations = {
  'GET /ledger/checkpoint': {
    ...{ id: 'getCheckpoint', tag: 'Seal', summary: 'The newest checkpoint' },
    answer: asText('text/plain', 'A signed note: origin, size, root hash, Ed25519 signature', note),
    refusals: { 404: why('Nothing has been sealed yet') },
  },
  'GET /ledger/key': {
    ...{ id: 'getVerifierKeys', tag: 'Seal', summary: 'Keys to verify checkpoints with' },
    answer: asText('text/plain', 'A verifier key a line, the newest first'),
  },
  'GET /ledger/tile/*': {
    ...{ id: 'getTile', tag: 'Seal', summary: 'Hashes of the tree', ...tile },
    answer: bytes('Up to 256 hashes of 32 bytes'),
    refusals: missing,
  },
  'GET /ledger/tile/entries/*': {
    ...{ id: 'getEntries', tag: 'Seal', summary: 'Leaves of the tree', ...tile, path: { tile: text('Index', { examples: ['000'] }) } },
    answer: bytes('Up to 256 leaves, each after its length'),
    refusals: missing,
  },
  'GET /project/:id/history/:eventId/proof': {
    ...{ id: 'getProof', tag: 'Seal', summary: 'Proof that an event stands in the sealed log' },
    path: { ...idPath, eventId: uuid('The event') },
    answer: json(ref('Proof'), { index: 0, size: 1, leaf: '{"id":"0b5e3c52-6a3e-5b0c-9d1e-2f8a7c1d4e90"}', path: [], checkpoint: note }),
    refusals: { 404: why('There is no such event in the project') },
  },
  'GET /project/:id/history/export': {
    ...{ id: 'exportHistory', tag: 'Seal', summary: 'Everything that somebody needs who does not trust us', path: idPath },
    description: `A file for \`watchledger verify\`, such as \`watchledger-${ID}.ndjson\`.`,
    query: fromTo,
    answer: jsonLines({ anyOf: [ref('ExportHead'), ref('ExportRow')] }, 'A signed head, then a line an event'),
  },
};
