/** JSON Schema 2020-12, as far as it is used here; the schemas of an OpenAPI 3.1 description are these. */
interface Keywords {
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

declare const VALUE: unique symbol;
const DEFINITION: unique symbol = Symbol('definition');

/** A schema and, for the compiler alone, the type of the values that it admits. */
export interface Schema<Value = unknown> extends Keywords {
  readonly [VALUE]?: Value;
  /** The schema that a reference names. */
  readonly [DEFINITION]?: Schema;
}

/** The type of the values that a schema admits: what presenters are held against. */
export type ValueOf<S> = S extends Schema<infer Value> ? Value : never;

export type Fields = Readonly<Record<string, Schema>>;
export type ValuesOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };
type RecordOf<Always extends Fields, Sometimes extends Fields> = ValuesOf<Always> & Partial<ValuesOf<Sometimes>>;

/** Keywords besides the type. */
export type More = Omit<Keywords, 'type' | 'description'>;

export const text = (description: string, more: More = {}): Schema<string> => ({ type: 'string', description, ...more });
export const integer = (description: string, more: More = {}): Schema<number> => ({ type: 'integer', description, ...more });
export const number = (description: string, more: More = {}): Schema<number> => ({ type: 'number', description, ...more });
export const flag = (description: string, more: More = {}): Schema<boolean> => ({ type: 'boolean', description, ...more });
export const list = <Value>(items: Schema<Value>, description: string, more: More = {}): Schema<readonly Value[]> => ({
  type: 'array',
  items,
  description,
  ...more,
});
export const anything = (description: string, more: More = {}): Schema => ({ description, ...more });

/** Exactly this value, in any type of JSON. */
export const constant = <const Value extends string | number | boolean>(value: Value): Schema<Value> => ({ const: value });

/** Accepted in a request and ignored. */
export const readOnly = (): Schema => ({
  description: 'Read only: accepted and ignored, so that an answer can be sent back',
  readOnly: true,
});

/** One of these words. */
export const word = <const Word extends string>(values: readonly Word[], description: string, more: More = {}): Schema<Word> => ({
  type: 'string',
  description,
  enum: values,
  ...more,
});

/** Always this value. */
export const always = <const Value extends number | boolean>(value: Value, description: string): Schema<Value> => ({
  type: typeof value === 'number' ? 'integer' : 'boolean',
  description,
  enum: [value],
});

/** A closed object, without further members. `required` members are always present, `optional` ones may be missing. */
export const record = <Required extends Fields, Optional extends Fields = Record<never, never>>(
  description: string,
  required: Required,
  optional?: Optional,
): Schema<RecordOf<Required, Optional>> => ({
  type: 'object',
  description,
  properties: { ...required, ...optional },
  ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
  additionalProperties: false,
});

/** An object of which only these members are promised. */
export const openRecord = <Required extends Fields = Record<never, never>>(
  description: string,
  required?: Required,
): Schema<ValuesOf<Required> & Readonly<Record<string, unknown>>> => ({
  ...schemaOnly(record(description, required ?? {})),
  additionalProperties: true,
});

export const orNull = <Value>(schema: Schema<Value>): Schema<Value | null> =>
  typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schemaOnly(schema), type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }], ...(schema.description !== undefined && { description: schema.description }) };

/** As a member of a merge patch: it may be null, and so may the members of an object, of which none has to be there. */
export function removable(schema: Schema): Schema {
  const { required: _, ...optional } = schemaOnly(schema);
  if (optional.properties !== undefined) {
    const properties = Object.fromEntries(Object.entries(optional.properties).map(([name, member]) => [name, removable(member)]));
    return { ...optional, properties, type: ['object', 'null'] };
  }
  const mayBeNull = schema.type === undefined ? schema.anyOf === undefined && schema.$ref === undefined : schema.type.includes('null');
  return mayBeNull ? schema : orNull(schema);
}

const OF_REQUESTS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'writeOnly']);

/**
 * As a member of an answer: with every member, and without what only a request has to keep. The bounds of a number stay, since they say what it can be; those
 * of texts and lists may have been others when a value was stored.
 */
export function answered(schema: Schema): Schema {
  const { default: initial, ...found } = definitionOf(schema);
  const { properties, items, anyOf } = found;
  return {
    ...(initial !== undefined && { examples: [initial] }),
    ...Object.fromEntries(Object.entries(found).filter(([keyword]) => !OF_REQUESTS.has(keyword))),
    ...(items !== undefined && { items: answered(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(answered) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, answered(member)])),
      required: Object.keys(properties),
    }),
  };
}

/** Without the type of its values. */
const schemaOnly = (schema: Schema): Keywords => schema;

export const eitherOf = <const Choices extends readonly Schema[]>(
  description: string,
  ...anyOf: Choices
): Schema<ValueOf<Choices[number]>> => ({ description, anyOf });

/** A component of the description under this name; wherever it is used, a reference stands. */
export const named = <Value>(name: string, schema: Schema<Value>): Schema<Value> => ({
  $ref: `#/components/schemas/${name}`,
  [DEFINITION]: schema,
});

/** Every named schema below `root`, by its name. */
export function namedSchemas(root: unknown, found: Record<string, Schema> = {}): Readonly<Record<string, Schema>> {
  if (typeof root !== 'object' || root === null) return found;
  const { $ref, [DEFINITION]: definition }: Schema = root;
  const name = $ref?.split('/').at(-1);
  if (definition === undefined || name === undefined) {
    for (const member of Object.values(root)) namedSchemas(member, found);
  } else if (found[name] === undefined) {
    found[name] = definition;
    namedSchemas(definition, found);
  } else if (found[name] !== definition) {
    throw new Error(`two schemas are named ${name}`);
  }
  return found;
}

/** The schema itself, where this one is a reference. */
export const definitionOf = (schema: Schema): Schema => (schema[DEFINITION] === undefined ? schema : definitionOf(schema[DEFINITION]));

/** The members of the objects that a schema admits: of the object itself, of a choice, or of the items of an array. */
export function propertiesOf(schema: Schema): Fields {
  const { properties, items, anyOf } = definitionOf(schema);
  if (items !== undefined) return propertiesOf(items);
  return Object.fromEntries([
    ...(anyOf ?? []).flatMap((choice) => Object.entries(propertiesOf(choice))),
    ...Object.entries(properties ?? {}),
  ]);
}
