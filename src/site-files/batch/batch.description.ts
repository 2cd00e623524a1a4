import { json, may, type Operations, takes } from '../../platform/http/description/operation.ts';
import { anything, flag, integer, list, named, record, type ValueOf } from '../../platform/http/description/schema.ts';
import { ID } from '../../platform/http/description/vocabulary.ts';
import { atomicOperations, batchOperations } from './batch-operations.ts';
import { BatchDto, keyOfBatch } from './batch.dto.ts';

const answerSchema = named(
  'OperationAnswer',
  record(
    'The answer to one operation',
    {
      status: integer('The status that it would have alone', { minimum: 200, maximum: 599 }),
      body: anything('Its body', { examples: [{}] }),
    },
    {
      replayed: flag('The operation was carried out before with this key, and this is the answer of that time'),
      retryAfter: integer('Of a temporary refusal: seconds to wait', { minimum: 1 }),
    },
  ),
);
export type OperationAnswer = ValueOf<typeof answerSchema>;

const batchAnswer = named(
  'BatchAnswer',
  record('The answers to a batch', {
    failed: integer('How many operations were refused', { minimum: 0 }),
    answers: list(answerSchema, 'In the order of the operations'),
  }),
);
export type BatchAnswer = ValueOf<typeof batchAnswer>;

const listOfKeys = (operations: ReadonlySet<string>): string => [...operations].map((key) => `\`${key}\``).join(', ');
const [atomic, alone] = [
  listOfKeys(atomicOperations),
  listOfKeys(new Set([...batchOperations].filter((key) => !atomicOperations.has(key)))),
];

export const batchDescriptions: Operations = {
  'POST /batch': {
    id: 'batch',
    tag: 'Projects',
    summary: 'Carry out up to 1,000 operations',
    description: [
      'Each operation has the rights, limits and answer that it would have alone; the whole counts as one request.',
      'Operations on one object are carried out in their order, others side by side.',
      '`atomic`: the operations, all of one project, are stored by one append, or none of them is; after a refusal the others are answered with 424.',
      `In any batch: ${atomic}. Unless it is atomic, also: ${alone}.`,
    ].join(' '),
    headers: { 'Idempotency-Key': may(keyOfBatch) },
    body: takes(BatchDto, {
      operations: [
        { method: 'PATCH', path: `/project/${ID}`, body: { title: 'Shop' }, key: 'rename-shop' },
        { method: 'POST', path: `/project/${ID}/tests`, body: { url: '/basket' } },
      ],
      atomic: true,
    }),
    answer: json(batchAnswer),
  },
};
