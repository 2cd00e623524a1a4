import { anything, list, text, flag, integer, named, record, type ValueOf } from '../../platform/http/description/schema.ts';
import { matching, oneOf, yesOrNo } from '../../platform/http/validation/fields.ts';
import { Input, type InputField, inputSchema, Optional, Required } from '../../platform/http/validation/input.ts';
import { json, may, type Operations, takes } from '../../platform/http/description/operation.ts';
import { ID } from '../../platform/http/description/vocabulary.ts';
import { atomicOperations, batchOperations } from './batch-operations.ts';

const MOST_OPERATIONS = 1_000;

const methods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

@Input('BatchOperation', 'An operation of a batch')
export class BatchOperationDto {
  @Required(oneOf('Method', methods)) method!: (typeof methods)[number];
  @Required(
    matching(
      'Path and query as in this description, without `/api`',
      /^\/[A-Za-z0-9][!"$-[\]-~]{0,2047}$/,
      'must be a path of an operation, such as /project/ID/tests, of at most 2,048 visible ASCII characters',
    ),
  )
  path!: string;
  @Optional({ schema: anything('Its body'), accepts: () => true, must: '' }) body?: unknown;
  @Optional(matching('Its `Idempotency-Key`', /^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')) key?: string;
  @Optional(matching('Its `If-Match`', /^[\x20-\x7e]{1,1000}$/, 'must be 1 to 1,000 ASCII characters')) ifMatch?: string;
}

/** Each is read when it is carried out, so that one that does not fit is answered by itself. */
const operations: InputField<readonly unknown[]> = {
  schema: list(inputSchema(BatchOperationDto), 'The operations', { minItems: 1, maxItems: MOST_OPERATIONS }),
  accepts: (value) => Array.isArray(value) && value.length >= 1 && value.length <= MOST_OPERATIONS,
  must: `must be a list of 1 to ${String(MOST_OPERATIONS)} operations`,
};

@Input('Batch', 'Operations that are carried out by one request')
export class BatchDto {
  @Required(operations) operations!: readonly unknown[];
  @Optional(yesOrNo('`true`: all of them, which are of one project, or none', { default: false })) atomic?: boolean;
}

export const keyOfBatch = text('For operations without a `key`: each gets one that is made of this and its place');

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
