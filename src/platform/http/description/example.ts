import { definitionOf, type Schema } from './schema.ts';

/**
 * The example of a schema, made of those of its fields, so that a field says its example once. `differing`: the members of a record that are others here, and
 * the optional ones to show; of a list, its items.
 */
export function exampleOf<Value>(schema: Schema<Value>, differing?: Partial<NoInfer<Value>>): Value {
  return valueOf(schema, differing) as Value; // description.spec.ts holds every example against its schema
}

/** A field's own example, else its only value, its default or its first word; null where it may be null and has no members to show. */
function valueOf(schema: Schema, differing?: object): unknown {
  const { properties, items, anyOf, type, examples, const: only, default: initial, enum: words, minimum } = definitionOf(schema);
  if (Array.isArray(differing)) return differing;
  if (differing === undefined) {
    const own = examples?.[0] ?? only ?? initial ?? words?.[0];
    if (own !== undefined) return own;
  }
  if (properties !== undefined) return recordOf(schema, differing);
  if (type?.includes('null')) return null;
  if (anyOf !== undefined) return valueOf(shownOf(anyOf), differing);
  if (items !== undefined) return [valueOf(items)];
  if (type === 'boolean') return true;
  if (minimum !== undefined) return minimum;
  throw new Error(`no example: ${schema.description ?? JSON.stringify(schema)}`);
}

/** The first choice that has an example or members, else null where that is a choice. */
function shownOf(choices: readonly Schema[]): Schema {
  const hasExample = ({ examples, properties = {} }: Schema): boolean => examples !== undefined || Object.keys(properties).length > 0;
  const shown = choices.map(definitionOf).find(hasExample) ?? choices.find(({ type }) => type === 'null') ?? choices[0];
  if (shown === undefined) throw new Error('a choice of nothing');
  return shown;
}

function recordOf(schema: Schema, differing: object = {}): object {
  const { properties = {}, required = [] } = definitionOf(schema);
  const derived = required.flatMap((name) => (name in differing ? [] : [[name, valueOf(properties[name] ?? {})] as const]));
  return { ...Object.fromEntries(derived), ...differing };
}
