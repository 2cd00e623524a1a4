import { isEmail } from 'class-validator';
import { readSiteUrl } from '../../../kernel/site-url.ts';
import { eitherOf, flag, integer, list, type More, orNull, type Schema, text, word } from '../description/schema.ts';
import { atInstant, objectIdSchema } from '../description/vocabulary.ts';
import { OBJECT_ID } from '../../../kernel/ids.ts';
import { readInstant } from '../../../kernel/instants.ts';
import { instantProblem } from '../spans/instant-input.ts';
import { isObject } from '../../../kernel/is-object.ts';
import { type InputClass, type InputField, inputSchema, instanceOf } from './input.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Text that every store and every recipient can hold: bounded, well-formed Unicode, no control characters except tab and line ends. */
export const isPlainText = (value: unknown, maximum: number): value is string =>
  typeof value === 'string' && value.length <= maximum && !CONTROL.test(value) && isWellFormed(value);

const isWellFormed = (text: string): boolean => !/[\ud800-\udfff]/u.test(text);

const SPELLINGS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** A boolean in the spellings of clients: of JSON, of PHP (`1`), of Python in a query (`True`). Undefined when it is not a boolean. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).toLowerCase();
  return Object.hasOwn(SPELLINGS, word) ? SPELLINGS[word] : undefined;
}

const counted = (least: number, most: number): string => (least === 0 ? `at most ${String(most)}` : `${String(least)} to ${String(most)}`);

/** Bounded, well-formed text without control characters. */
export const plainText = (description: string, most: number, more: More = {}, least = 0): InputField<string> => ({
  schema: text(description, { ...(least > 0 && { minLength: least }), maxLength: most, ...more }),
  accepts: (value) => isPlainText(value, most) && value.length >= least,
  must: `must be text of ${counted(least, most)} characters without control characters`,
});

/** Text of any length and content, such as an id that only serves as a key. */
export const anyText = (description: string): InputField<string> => ({
  schema: text(description),
  accepts: (value) => typeof value === 'string',
  must: 'must be text',
});

/** Plain text that is not empty. */
export const filledText = (description: string, most: number, more: More = {}): InputField<string> => plainText(description, most, more, 1);

/** Text of a given form. */
export const matching = (description: string, pattern: RegExp, must: string, more: More = {}): InputField<string> => ({
  schema: text(description, { pattern: pattern.source, ...more }),
  accepts: (value) => typeof value === 'string' && pattern.test(value),
  must,
});

export const idOf = (description: string, must: string): InputField<string> => ({
  schema: objectIdSchema(description),
  accepts: (value) => typeof value === 'string' && OBJECT_ID.test(value),
  must,
});

/** Passwords may hold any character that a keyboard produces. */
export const password = (description: string, least: number, most: number): InputField<string> => ({
  schema: text(description, { minLength: least, maxLength: most, writeOnly: true }),
  accepts: (value) => typeof value === 'string' && value.length >= least && value.length <= most,
  must: `must be text of ${counted(least, most)} characters`,
});

const LONGEST_EMAIL = 254;

/** The text is checked first: the parser of addresses throws at half a surrogate pair. Local parts in quotes are refused, because they may hold line ends. */
export const isEmailAddress = (value: unknown): value is string =>
  isPlainText(value, LONGEST_EMAIL) && !/[\s"]/.test(value) && isEmail(value);

export const emailAddress = (description: string, more: More = { format: 'email', examples: ['ada@example.com'] }): InputField<string> => ({
  schema: text(description, { maxLength: LONGEST_EMAIL, ...more }),
  accepts: isEmailAddress,
  must: 'must be an e-mail address',
});

export const timeZone = (description: string): InputField<string> => ({
  schema: text(description, { maxLength: 64, examples: ['Europe/Prague'] }),
  accepts: isTimeZone,
  must: 'must be the name of a time zone, such as Europe/Prague',
});

function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string' || !/^[A-Za-z][\w+/-]{0,63}$/.test(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

/** docs/spec/decisions.md#P4. */
export const siteUrl = (description: string, example: string): InputField<string> => ({
  schema: text(description, { maxLength: 2048, examples: [example] }),
  accepts: (value) => typeof value === 'string' && readSiteUrl(value).kind === 'valid',
  must: (value) => `is not a valid URL: ${urlProblem(value)}`,
});

function urlProblem(value: unknown): string {
  if (typeof value !== 'string') return 'it is not text';
  const read = readSiteUrl(value);
  return read.kind === 'invalid' ? read.reason : '';
}

export const yesOrNo = (description: string, more: More = {}): InputField<boolean> => ({
  schema: flag(description, more),
  read: readBoolean,
  accepts: (value) => typeof value === 'boolean',
  must: 'must be true or false',
});

const DIGITS = /^-?\d{1,15}$/;
const numberOf = (value: unknown): unknown => (typeof value === 'string' && DIGITS.test(value) ? Number(value) : value);
const isWhole = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

/** A whole number, also one sent as text. */
export const whole = (description: string, minimum: number, maximum: number, more: More = {}): InputField<number> => ({
  schema: integer(description, { minimum, maximum, ...more }),
  read: numberOf,
  accepts: (value) => isWhole(value, minimum, maximum),
  must: `must be a whole number from ${String(minimum)} to ${String(maximum)}`,
});

/** At least one. User ids are numbers in a project and text in a user: clients send both. */
export const wholes = (
  description: string,
  {
    item,
    minimum,
    maximum,
    maxItems,
  }: { readonly item: string; readonly minimum: number; readonly maximum: number; readonly maxItems: number },
): InputField<number[]> => ({
  schema: list(integer(item, { minimum, maximum }), description, { minItems: 1, maxItems }),
  read: (value) => (Array.isArray(value) ? value.map(numberOf) : value),
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= maxItems && value.every((one) => isWhole(one, minimum, maximum)),
  must: `must be a list of 1 to ${String(maxItems)} whole numbers from ${String(minimum)} to ${String(maximum)}`,
});

export const texts = (
  description: string,
  { item, maxLength, maxItems }: { readonly item: string; readonly maxLength: number; readonly maxItems: number },
): InputField<string[]> => ({
  schema: list(text(item, { maxLength }), description, { maxItems }),
  accepts: (value) => Array.isArray(value) && value.length <= maxItems && value.every((one) => isPlainText(one, maxLength)),
  must: `must be a list of at most ${String(maxItems)} texts of at most ${String(maxLength)} characters`,
});

/** A list whose items are validated alike. */
export const listOf = <Item>(
  description: string,
  { schema, accepts, must }: { readonly schema: Schema<Item>; readonly accepts: (item: unknown) => boolean; readonly must: string },
  { minItems, maxItems }: { readonly minItems: number; readonly maxItems: number },
): InputField<Item[]> => ({
  schema: list(schema, description, { minItems, maxItems }),
  accepts: (value) => Array.isArray(value) && value.length >= minItems && value.length <= maxItems && value.every(accepts),
  must: `must be a list of ${String(minItems)} to ${String(maxItems)}: ${must}`,
});

/** Validated as its schema says: a choice of words or bounded plain text. */
export const like = <Word extends string>(schema: Schema<Word>): InputField<Word> => {
  const { description = '', enum: words, maxLength = Infinity } = schema;
  const field: InputField<string> = words === undefined ? plainText(description, maxLength) : oneOf(description, words.map(String));
  return { ...field, schema } as InputField<Word>; // the words of the schema are those of the field
};

/** One of these words. */
export const oneOf = <const Word extends string>(description: string, words: readonly Word[], more: More = {}): InputField<Word> => ({
  schema: word(words, description, more),
  accepts: (value) => words.some((one) => one === value),
  must: `must be one of ${words.join(', ')}`,
});

/** The words of an answer, also as the boolean or number that they spell: `"false"`, `"15"` (docs/spec/decisions.md#P5). */
export const oneOfWords = <const Word extends string>(
  description: string,
  words: readonly Word[],
  ...spellings: readonly Schema[]
): InputField<Word> => ({
  ...oneOf(description, words),
  schema: eitherOf(description, word(words, 'As a word'), ...spellings),
  answer: word(words, description),
  read: (value) => (typeof value === 'boolean' || typeof value === 'number' ? String(value) : value),
});

/** One of these numbers, also sent as text. */
export const oneOfNumbers = <const Choice extends number>(
  description: string,
  choices: readonly Choice[],
  more: More = {},
): InputField<Choice> => ({
  schema: integer(description, { enum: choices, ...more }),
  read: numberOf,
  accepts: (value) => choices.some((choice) => choice === value),
  must: `must be one of ${choices.join(', ')}`,
});

/** White space around it is removed first. */
export const trimmed = (field: InputField<string>): InputField<string> => ({
  ...field,
  read: (value) => (typeof value === 'string' ? value.trim() : value),
});

/** The empty text is accepted too: it removes the value. */
export const orEmpty = (field: InputField<string>): InputField<string> => ({
  ...field,
  accepts: (value, input) => value === '' || field.accepts(value, input),
});

/** Described as a value that may be null; to be used with `OptionalOrNull`. */
export const nullable = <Value>(field: InputField<Value>): InputField<Value> => ({ ...field, schema: orNull(field.schema) });

/** The same field under another schema, where the description says more than the check. */
export const describedAs = <Value>(field: InputField<Value>, schema: Schema): InputField<Value> => ({ ...field, schema });

/** Validated by the code that reads it, because its refusals differ from those of a field. */
export const readLater = (schema: Schema): InputField<unknown> => ({ schema, accepts: () => true, must: '' });

/** An object with the fields of an input class. */
export const object = <Of extends object>(input: InputClass<Of>, schema: Schema = inputSchema(input)): InputField<Of> => ({
  schema,
  read: (value) => instanceOf(input, value),
  accepts: isObject,
  must: 'must be an object',
  nested: true,
});

/** A list of objects with the fields of an input class. */
export const objects = <Of extends object>(
  input: InputClass<Of>,
  description: string,
  maxItems: number,
  minItems = 0,
): InputField<Of[]> => ({
  schema: list(inputSchema(input), description, { ...(minItems > 0 && { minItems }), maxItems }),
  read: (given) => (Array.isArray(given) ? given.map((one) => instanceOf(input, one)) : given),
  accepts: (given) =>
    Array.isArray(given) && given.length >= minItems && given.length <= maxItems && given.every((one) => one instanceof input),
  must: `must be a list of ${minItems > 0 ? `${String(minItems)} to` : 'at most'} ${String(maxItems)} objects`,
  nested: true,
});

/** An instant in any spelling that `readInstant` accepts; it stays text, with its offset. */
export const instantText = (description: string): InputField<string> => ({
  schema: atInstant(description),
  accepts: (value) => readInstant(value).kind === 'instant',
  must: instantProblem,
});
