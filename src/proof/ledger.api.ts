import { asText, bytes, json, jsonLines, may, must, type Operations, why } from '../platform/http/description/operation.ts';
import { integer, list, named, openRecord, orNull, record, text, word } from '../platform/http/description/schema.ts';
import { fromTo, ID, idPath, uuidSchema } from '../platform/http/description/vocabulary.ts';

const note = 'watchledger.example/1f2e\n4712\nq83vEjRWeJA6uPHaBJnuTsXmTwhzqWMNiSPySZCzdYk=\n\n— watchledger.example/1f2e base64signature\n';
const hashes = list(text('A hash in base64', { pattern: '^[A-Za-z0-9+/]{43}=$' }), 'Hashes from the leaf to the root', { examples: [[]] });
const leaf = text('Canonical JSON of the recorded event (RFC 8785)', { examples: ['{"id":"0b5e3c52-6a3e-5b0c-9d1e-2f8a7c1d4e90"}'] });
const index = integer('Position of the event', { minimum: 0 });

/** docs/spec/beyond.md#B5. */
const proof = named(
  'Proof',
  record('Inclusion proof of an event in the sealed log', {
    index,
    size: integer('Size of the tree', { minimum: 1 }),
    leaf,
    path: hashes,
    checkpoint: text('A signed note', {
      examples: [note],
    }),
  }),
);

const consistency = named(
  'ConsistencyProof',
  record('Consistency proof between two sizes of the sealed log (RFC 6962, section 2.1.2)', {
    from: integer('Events of the shorter log', { minimum: 1 }),
    to: integer('Events of the longer log', { minimum: 1 }),
    roots: list(text('A hash in base64'), 'The root hashes of both', { examples: [[]] }),
    path: list(text('A hash in base64'), 'The proof', { examples: [[]] }),
    checkpoint: text('A signed note over the longer log, or one that extends it', {
      examples: [note],
    }),
  }),
);

const exportHead = named(
  'ExportHead',
  openRecord('The signed first line of an export', {
    format: text('Format of the file'),
    project: text('The project'),
    count: integer('Number of events that follow', { minimum: 0 }),
    checkpoint: text('A signed note'),
    signature: text('Over the rest of the line'),
  }),
);
const exportRow = named('ExportRow', record('An event of an export', { index, leaf, path: hashes }));

const origins = named(
  'LogOrigins',
  record('The log under its origins, the newest first', {
    origins: list(
      record('An origin', {
        origin: text('Its name, the first line of its checkpoints', { examples: ['watchledger.example/1f2e'] }),
        keys: list(text('A verifier key'), 'Keys that signed it, the newest first', { examples: [[]] }),
        checkpoint: text('Its newest checkpoint, a signed note', {
          examples: [note],
        }),
        end: orNull(text('A signed note, by its keys and those of the next origin: why it ended, and which one follows. Null: it signs')),
      }),
      'Another one begins after a declared loss',
    ),
  }),
);

const tilePath = text('Level and index as in C2SP tlog-tiles, such as `0/000` or `0/x001/234.p/7`', { examples: ['0/000'] });
const number = text('Number of the origin that signs, from 2', { examples: ['2'] });
const missing = { 404: why('The tile does not exist, or does not exist yet') };
const otherOrigin = { 404: why('The tile does not exist, or the origin does not sign') };

export const ledgerOperations: Operations = {
  'GET /ledger/checkpoint': {
    id: 'getCheckpoint',
    tag: 'Seal',
    summary: 'The newest checkpoint',
    answer: asText('text/plain', 'A signed note: origin, size, root hash, Ed25519 signature', note),
    refusals: { 404: why('Nothing has been sealed yet') },
  },
  'GET /ledger/:number/checkpoint': {
    id: 'getCheckpointOfOrigin',
    tag: 'Seal',
    summary: 'The newest checkpoint of a later origin',
    path: { number },
    answer: asText('text/plain', 'A signed note', note),
    refusals: { 404: why('The origin does not sign') },
  },
  'GET /ledger/origins': {
    id: 'getOrigins',
    tag: 'Seal',
    summary: 'The origins of the log',
    description: 'After a declared loss the log continues under another origin, because no witness would cosign the former one again.',
    answer: json(origins),
  },
  'GET /ledger/key': {
    id: 'getVerifierKeys',
    tag: 'Seal',
    summary: 'Keys that verify checkpoints',
    answer: asText('text/plain', 'One verifier key per line, the newest first'),
  },
  'GET /ledger/consistency': {
    id: 'getConsistencyProof',
    tag: 'Seal',
    summary: 'Proof that a longer log extends a shorter one',
    query: {
      from: must(integer('Events of the shorter log', { minimum: 1 })),
      to: must(integer('Events of the longer log', { minimum: 1 })),
    },
    answer: json(consistency),
    refusals: { 400: why('A size is missing or not a number'), 404: why('Fewer events are sealed') },
  },
  'GET /witness/key': {
    id: 'getWitnessKey',
    tag: 'Seal',
    summary: 'The key of the cosignatures of this installation',
    answer: asText('text/plain', 'A verifier key of C2SP tlog-cosignature'),
  },
  'POST /witness/add-checkpoint': {
    id: 'addCheckpoint',
    tag: 'Seal',
    summary: 'Have a checkpoint of another log cosigned (C2SP tlog-witness)',
    description: 'For logs whose keys an operator of this installation agreed to witness (`watchledger witness add`).',
    body: {
      types: ['text/plain'],
      schema: text('`old SIZE`, a consistency proof, an empty line and the checkpoint'),
      example: `old 0\n\n${note}`,
    },
    answer: asText('text/plain', 'A signature line: the cosignature'),
    refusals: {
      400: why('The body is not a submission'),
      403: why('No trusted key of the log signed the checkpoint'),
      404: why('The log is not witnessed'),
      409: why('The old size is not that of the checkpoint cosigned last, which the body states'),
      422: why('The consistency proof does not verify'),
    },
  },
  'GET /ledger/tile/*': {
    id: 'getTile',
    tag: 'Seal',
    summary: 'Hashes of the Merkle tree',
    path: { tile: tilePath },
    answer: bytes('Up to 256 hashes of 32 bytes'),
    refusals: missing,
  },
  'GET /ledger/tile/entries/*': {
    id: 'getEntries',
    tag: 'Seal',
    summary: 'Leaves of the Merkle tree',
    path: { tile: text('Index', { examples: ['000'] }) },
    answer: bytes('Up to 256 leaves, each preceded by its length'),
    refusals: missing,
  },
  'GET /ledger/:number/tile/*': {
    id: 'getTileOfOrigin',
    tag: 'Seal',
    summary: 'Hashes of the Merkle tree of a later origin',
    path: { number, tile: tilePath },
    answer: bytes('Up to 256 hashes of 32 bytes'),
    refusals: otherOrigin,
  },
  'GET /ledger/:number/tile/entries/*': {
    id: 'getEntriesOfOrigin',
    tag: 'Seal',
    summary: 'Leaves of the Merkle tree of a later origin',
    path: { number, tile: text('Index', { examples: ['000'] }) },
    answer: bytes('Up to 256 leaves, each preceded by its length'),
    refusals: otherOrigin,
  },
  'GET /project/:id/history/:eventId/proof': {
    id: 'getProof',
    tag: 'Seal',
    summary: 'Inclusion proof of an event in the sealed log',
    path: { ...idPath, eventId: uuidSchema('The event') },
    query: { format: may(word(['json', 'tlog-proof'], 'Form of the proof')) },
    answer: {
      ...json(proof),
      ...asText('text/plain', 'C2SP tlog-proof, with the leaf as extra data'),
    },
    refusals: { 404: why('The project has no such event') },
  },
  'GET /project/:id/history/export': {
    id: 'exportHistory',
    tag: 'Seal',
    summary: 'Export the history of a project with its proofs',
    path: idPath,
    description: `A file that \`watchledger verify\` checks without trust in this service, such as \`watchledger-${ID}.ndjson\`.`,
    query: fromTo,
    answer: jsonLines({ anyOf: [exportHead, exportRow] }, 'A signed head, then one line per event'),
  },
};
