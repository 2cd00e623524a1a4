import 'reflect-metadata';
import { ValidateBy, ValidateIf, ValidateNested, validateSync, type ValidationError } from 'class-validator';
import { type AllowedValues, type InputProblem, InvalidInput, MAX_PROBLEMS } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/is-object.ts';
import { nearestName } from '../../../kernel/nearest-name.ts';
import { answered, type Fields, named, readOnly, record, type Schema } from '../description/schema.ts';

const BOUNDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** What a schema accepts, where that is a list or a range; undefined where it is not. */
function allowedBy(schema: Schema): AllowedValues | undefined {
  const words = wordsOf(schema);
  if (words.length > 0) return words;
  const bounds = BOUNDS.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]] as const]));
  return bounds.length > 0 ? Object.fromEntries(bounds) : undefined;
}

function wordsOf({ type, enum: words, const: only, anyOf = [] }: Schema): readonly unknown[] {
  const own = words ?? (only !== undefined ? [only] : type === 'boolean' ? [true, false] : []);
  return [...new Set([...own, ...anyOf.flatMap(wordsOf)])];
}

declare const VALUE: unique symbol;

/** One source for a field of a request: how it is described, and how it is read and validated. */
export interface InputField<Value> {
  readonly [VALUE]?: Value;
  readonly schema: Schema;
  /** How an answer has the value, where that does not follow from the schema of the request. */
  readonly answer?: Schema;
  /** Reads the other spellings in which clients send the value. */
  readonly read?: (given: unknown) => unknown;
  readonly accepts: (value: unknown, input: object) => boolean;
  /** The rest of the sentence after the field's name: `must be …`. */
  readonly must: string | ((value: unknown, input: object) => string);
  /** Fields of the value, or of its items, are validated too. */
  readonly nested?: true;
}

export type InputClass<Input extends object = object> = new () => Input;

interface Definition {
  name?: string;
  about?: string;
  open?: boolean;
  readonly fields: Map<string, DefinedField>;
}

interface DefinedField {
  readonly field: InputField<unknown>;
  readonly required: boolean;
  readonly isValidated: (value: unknown, input: object) => boolean;
}

const definitions = new WeakMap<object, Definition>();
const schemas = new WeakMap<object, Schema>();

function definitionOf(input: object): Definition {
  const own = definitions.get(input);
  if (own !== undefined) return own;
  const inherited = definitions.get(Object.getPrototypeOf(input) as object);
  const made: Definition = { fields: new Map(inherited?.fields) };
  definitions.set(input, made);
  return made;
}

export const isInputClass = (value: unknown): value is InputClass => typeof value === 'function' && definitions.has(value);

/** Names the class as a schema of the description. `open`: members without a field are ignored instead of refused. */
export const Input =
  (name: string, about: string, { open = false }: { readonly open?: boolean } = {}): ClassDecorator =>
  (target) => {
    Object.assign(definitionOf(target), { name, about, open });
  };

/** The same without a name: the schema stands where it is used. */
export const InlineInput =
  (about: string, { open = false }: { readonly open?: boolean } = {}): ClassDecorator =>
  (target) => {
    Object.assign(definitionOf(target), { about, open });
  };

/** Holds the type of the property against that of the field. */
type FieldDecorator<Value> = <Name extends string, Of extends Partial<Record<Name, unknown>>>(
  target: Of,
  name: Name,
  ...mismatch: [Value] extends [Of[Name]] ? [] : [never]
) => void;

export const Required = <Value>(field: InputField<Value>): FieldDecorator<Value> => fieldDecorator(field, true, () => true);

/** May be missing, but not null: an ignored null would seem to have taken effect. */
export const Optional = <Value>(field: InputField<Value>): FieldDecorator<Value> =>
  fieldDecorator(field, false, (value) => value !== undefined);

/** May be missing or null. */
export const OptionalOrNull = <Value>(field: InputField<Value>): FieldDecorator<Value | null> =>
  fieldDecorator(field, false, (value) => value !== undefined && value !== null);

/** Required only when `condition` holds for the input as a whole. */
export const RequiredIf = <Value, Of extends object>(field: InputField<Value>, condition: (input: Of) => boolean): FieldDecorator<Value> =>
  fieldDecorator(field, false, (_, input) => condition(input as Of)); // the class that the decorator stands in

/** Accepted and ignored, so that a client can send back an answer as it got it. */
export const ReadOnly = (): FieldDecorator<unknown> =>
  fieldDecorator({ schema: readOnly(), accepts: () => true, must: '' }, false, () => false);

function fieldDecorator(
  field: InputField<unknown>,
  required: boolean,
  isValidated: (value: unknown, input: object) => boolean,
): (target: object, name: string, ...mismatch: readonly unknown[]) => void {
  const { accepts, must } = field;
  return (target: object, name: string) => {
    definitionOf(target.constructor).fields.set(name, { field, required, isValidated });
    ValidateIf((input: object, value: unknown) => isValidated(value, input))(target, name);
    ValidateBy({
      name: 'field',
      validator: {
        validate: (value: unknown, given) => accepts(value, given?.object ?? {}),
        defaultMessage: (given) => (typeof must === 'string' ? must : must(given?.value, given?.object ?? {})),
      },
    })(target, name);
    if (field.nested) ValidateNested()(target, name);
  };
}

/** The schema of each field, by its name. */
export const fieldSchemas = (input: InputClass): Fields =>
  Object.fromEntries([...definitionOf(input).fields].map(([name, { field }]) => [name, field.schema]));

/** The schema of an input class. */
export function inputSchema(input: InputClass): Schema {
  const known = schemas.get(input);
  if (known !== undefined) return known;
  const { name, about, fields } = definitionOf(input);
  if (about === undefined) throw new Error(`${input.name} has no @Input(…)`);
  const all = fieldSchemas(input);
  const part = (wanted: boolean): Fields =>
    Object.fromEntries(Object.entries(all).filter(([field]) => fields.get(field)?.required === wanted));
  const shape = record(about, part(true), part(false));
  const schema = name === undefined ? shape : named(name, shape);
  schemas.set(input, schema);
  return schema;
}

/** How an answer has a value that a request sets: as it is read, with every member. */
type Answered<Value> = Value extends readonly (infer Item)[]
  ? readonly Answered<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]-?: Answered<Exclude<Value[Name], undefined>> }
    : Value;

/** Without those that a request may only send back. */
type Settable<Of> = { [Name in keyof Of]: unknown extends Of[Name] ? never : Name }[keyof Of] & string;
type AnsweredFields<Of, Name extends keyof Of> = { readonly [Field in Name]: Schema<Answered<Exclude<Of[Field], undefined>>> };

/** Fields of an input class (default: all that can be set) as members of an answer: the same wording and examples, without what only a request has to keep. */
export function answersOf<Of extends object, Name extends keyof Of & string = Settable<Of>>(
  input: InputClass<Of>,
  ...names: readonly Name[]
): AnsweredFields<Of, Name> {
  const { fields } = definitionOf(input);
  const schemaOf = (name: string): Schema => {
    const { schema, answer } = fields.get(name)?.field ?? { schema: {} };
    return answer ?? answered(schema);
  };
  // Each name is a field, as the decorators hold the types of the properties against those of the fields.
  const settable = [...fields].flatMap(([name, { field }]) => (field.schema.readOnly ? [] : [name]));
  return Object.fromEntries((names.length > 0 ? names : settable).map((name) => [name, schemaOf(name)])) as AnsweredFields<Of, Name>;
}

/** The fields of an input class as parameters of a query. */
export const queryOf = (input: InputClass): Readonly<Record<string, { readonly schema: Schema; readonly required: boolean }>> =>
  Object.fromEntries([...definitionOf(input).fields].map(([name, { field, required }]) => [name, { schema: field.schema, required }]));

const unknownNames = new WeakMap<object, { readonly unknown: readonly string[]; readonly known: readonly string[] }>();

/** An instance of the class with the supplied members, read but not validated yet. Anything but an object is returned as it is. */
export function instanceOf(input: InputClass, given: unknown): unknown {
  if (!isObject(given)) return given;
  const { fields, open } = definitionOf(input);
  const initial = new input() as Readonly<Record<string, unknown>>;
  // Not that instance without its undefined members: V8 would make it a dictionary, which is slow to read.
  const instance = Object.create(input.prototype as object) as Record<string, unknown>;
  for (const [name, { field }] of fields) {
    const value = Object.hasOwn(given, name) ? (field.read?.(given[name]) ?? given[name]) : initial[name];
    if (value !== undefined) instance[name] = value;
  }
  const unknown = open ? [] : Object.keys(given).filter((name) => !fields.has(name));
  if (unknown.length > 0) unknownNames.set(instance, { unknown, known: [...fields.keys()] });
  return instance;
}

/** A field that was sent and is none. */
interface UnknownField {
  readonly parent: string;
  readonly name: string;
  readonly known: readonly string[];
}

/** Reads and validates a body or a query. Every offending field is named, nested ones by their path. */
export function readInput<Of extends object>(input: InputClass<Of>, given: unknown): Of {
  const instance = instanceOf(input, given);
  if (!(instance instanceof input)) throw new InvalidInput('The body must be a JSON object.');
  if (isFaultless(instance)) return instance;
  const unknown = unknownFields(instance, '');
  const invalid = validateSync(instance, { stopAtFirstError: true, forbidUnknownValues: false }).flatMap((error) => problemsOf(error, ''));
  const total = unknown.length + invalid.length;
  if (total === 0) return instance;
  const problems = [...unknown.slice(0, MAX_PROBLEMS).map(unknownProblem), ...invalid].slice(0, MAX_PROBLEMS);
  throw new InvalidInput(problems, { unlisted: total - problems.length });
}

/** Whether every member is known and accepted: a fast path before class-validator, which alone refuses (docs/decisions/validation.md). */
function isFaultless(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isFaultless);
  if (!isObject(value) || unknownNames.has(value)) return false;
  for (const [name, { field, isValidated }] of definitions.get(value.constructor)?.fields ?? []) {
    const member = value[name];
    if (isValidated(member, value) && !field.accepts(member, value)) return false;
    if (field.nested && member !== undefined && !isFaultless(member)) return false;
  }
  return true;
}

function unknownFields(value: unknown, parent: string): readonly UnknownField[] {
  if (typeof value !== 'object' || value === null) return [];
  const { unknown = [], known = [] } = unknownNames.get(value) ?? {};
  const own = unknown.map((name) => ({ parent, name, known }));
  const hasInputs = Array.isArray(value) || definitions.has(value.constructor);
  return hasInputs ? [...own, ...Object.entries(value).flatMap(([name, inner]) => unknownFields(inner, `${parent}${name}.`))] : own;
}

function unknownProblem({ parent, name, known }: UnknownField): InputProblem {
  const nearest = nearestName(name, known);
  const param = `${parent}${name.slice(0, 60)}`;
  return { param, message: `${param}: is not a known field${nearest === null ? '' : `; did you mean "${parent}${nearest}"?`}` };
}

function problemsOf({ target, property, constraints = {}, children = [] }: ValidationError, parent: string): readonly InputProblem[] {
  const param = `${parent}${property}`;
  const [first] = Object.entries(constraints);
  const below = children.flatMap((child) => problemsOf(child, `${param}.`));
  if (first === undefined) return below;
  const [kind, sentence] = first;
  const field = target === undefined ? undefined : definitions.get(target.constructor)?.fields.get(property)?.field;
  const allowed = field === undefined ? undefined : allowedBy(field.schema);
  const message = `${param}: ${kind === 'nestedValidation' ? 'must be an object' : sentence}`.slice(0, 300);
  return [{ param, message, ...(allowed !== undefined && { allowed }) }, ...below];
}
