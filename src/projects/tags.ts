import { InvalidInput } from '../kernel/errors.ts';
import { list, text } from '../platform/http/description/schema.ts';
import { isPlainText } from '../platform/http/validation/fields.ts';
import type { InputField } from '../platform/http/validation/input.ts';

export const MOST_TAGS = 20;
export const LONGEST_TAG = 40;
const MUST = `must be at most ${String(MOST_TAGS)} different texts of 1 to ${String(LONGEST_TAG)} characters without commas, white space around them or control characters`;

const isTag = (value: unknown): value is string =>
  isPlainText(value, LONGEST_TAG) && value !== '' && value.trim() === value && !/[,\n\r\t]/.test(value);

/** Kept as they are written; two that differ in case alone are the same tag. */
export const tagsField: InputField<string[]> = {
  schema: list(text('A tag', { minLength: 1, maxLength: LONGEST_TAG }), 'Tags, by which lists choose projects', {
    maxItems: MOST_TAGS,
    examples: [['shop', 'Team A']],
  }),
  accepts: (value) =>
    Array.isArray(value) &&
    value.length <= MOST_TAGS &&
    value.every(isTag) &&
    new Set(value.map((tag: string) => tag.toLowerCase())).size === value.length,
  must: MUST,
};

/** `tag` of a list, which may be repeated. */
export function readTags(given: unknown): readonly string[] {
  const tags = given === undefined ? [] : [given].flat();
  if (tags.length > MOST_TAGS || !tags.every(isTag)) throw new InvalidInput(`tag: ${MUST}`);
  return tags;
}
