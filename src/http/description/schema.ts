/** JSON Schema 2020-12, as far as it is used here; the schemas of an OpenAPI 3.1 description are these. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Fields;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
}

export type Fields = Readonly<Record<string, Schema>>;

/** What a schema says besides its type. */
type More = Omit<Schema, 'type' | 'description'>;

export const text = (description: string, more: More = {}): Schema => ({ type: 'string', description, ...more });
export const integer = (description: string, more: More = {}): Schema => ({ type: 'integer', description, ...more });
export const number = (description: string, more: More = {}): Schema => ({ type: 'number', description, ...more });
export const flag = (description: string, more: More = {}): Schema => ({ type: 'boolean', description, ...more });
export const list = (items: Schema, description: string, more: More = {}): Schema => ({ type: 'array', items, description, ...more });
export const anything = (description: string, more: More = {}): Schema => ({ description, ...more });

/** One of these words. */
export const word = (values: readonly string[], description: string, more: More = {}): Schema =>
  text(description, { enum: values, ...more });

/** Closed: what is not named is not there. `always` are there always, `sometimes` may be missing. */
export const record = (description: string, always: Fields, sometimes: Fields = {}): Schema => ({
  type: 'object',
  description,
  properties: { ...always, ...sometimes },
  ...(Object.keys(always).length > 0 && { required: Object.keys(always) }),
  additionalProperties: false,
});

/** An object of which only this much is promised. */
export const openRecord = (description: string, always: Fields = {}): Schema => ({
  ...record(description, always),
  additionalProperties: true,
});

export const orNull = (schema: Schema): Schema =>
  typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }], ...(schema.description !== undefined && { description: schema.description }) };

export const eitherOf = (description: string, ...schemas: readonly Schema[]): Schema => ({ description, anyOf: schemas });

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
