import type { AllowedValues } from '../../../kernel/errors.ts';
import type { Schema } from '../description/schema.ts';

const BOUNDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** What a schema accepts, where that is a list or a range; undefined where it is not. */
export function allowedBy(schema: Schema): AllowedValues | undefined {
  const words = wordsOf(schema);
  if (words.length > 0) return words;
  const bounds = BOUNDS.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]] as const]));
  return bounds.length > 0 ? Object.fromEntries(bounds) : undefined;
}

function wordsOf({ type, enum: words, const: only, anyOf = [] }: Schema): readonly unknown[] {
  const own = words ?? (only !== undefined ? [only] : type === 'boolean' ? [true, false] : []);
  return [...new Set([...own, ...anyOf.flatMap(wordsOf)])];
}
