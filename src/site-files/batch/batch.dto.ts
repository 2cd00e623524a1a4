import { anything, list, text } from '../../platform/http/description/schema.ts';
import { matching, oneOf, yesOrNo } from '../../platform/http/validation/fields.ts';
import { Input, type InputField, inputSchema, Optional, Required } from '../../platform/http/validation/input.ts';

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
