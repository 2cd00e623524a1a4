import fc from 'fast-check';
import type { Schema } from '../../src/platform/http/description/schema.ts';
import { description } from '../support/description.ts';

type Values = fc.Arbitrary<unknown>;

/** Names that stand for what is really there when the request is sent; `world.ts` knows them, and that a `…Number` is no text. */
export const REAL: Readonly<Record<string, readonly string[]>> = {
  areaId: ['__area__', '__foreignArea__'],
  projectId: ['__project__', '__foreignProject__'],
  url: ['__site__/', '__site__/about', '/about', 'https://example.com'],
  uptimeUrl: ['__site__/', ''],
  endpoint: ['__site__/push'],
  email: ['__guest__', '__owner__', 'unknown@example.test'],
  password: ['__password__'],
  current: ['__password__'],
  users: ['__guestNumber__', '__developerNumber__'],
  userId: ['__guestNumber__', '__developerNumber__'],
  id: ['__spareWindow__'],
  key: ['__badgeKey__'],
  tests: ['__test__', '__foreignTest__'],
  lastEventId: ['__event__'],
  'Last-Event-ID': ['__event__'],
};

/** Values that the schema of a field allows, often ids of existing objects. */
export function allowed(schema: Schema, name = '', depth = 0): Values {
  const values = fromSchema(schema, name, depth);
  const real = REAL[name];
  if (real === undefined) return values;
  const chosen: Values = schema.type === 'array' ? fc.subarray([...real], { minLength: 1 }) : fc.constantFrom(...real);
  return fc.oneof({ weight: 3, arbitrary: chosen }, { weight: 1, arbitrary: values });
}

function fromSchema(schema: Schema, name: string, depth: number): Values {
  if (schema.$ref !== undefined) return allowed(resolved(schema.$ref), name, depth);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((inner) => allowed(inner, name, depth)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (typeof schema.type === 'object') return fc.oneof(...schema.type.map((type) => fromSchema({ ...schema, type }, name, depth)));
  switch (schema.type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 20, 2_147_483_647) });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(allowed(schema.items ?? {}, '', depth + 1), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case 'object':
      return records(schema, depth);
    default:
      return fc.oneof(fc.constant(null), fc.jsonValue({ maxDepth: 2 }));
  }
}

function records({ properties = {}, required = [], additionalProperties }: Schema, depth: number): Values {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, allowed(field, name, depth + 1)]));
  const known = withOptional(fields, required);
  if (additionalProperties !== true) return known;
  return fc
    .tuple(known, fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }))
    .map(([one, other]) => ({ ...other, ...one }));
}

/** As often the required fields alone: the more of the others there are, the rarer they all go together. */
export function withOptional(fields: Readonly<Record<string, Values>>, required: readonly string[]): fc.Arbitrary<object> {
  const needed = Object.fromEntries(Object.entries(fields).filter(([name]) => required.includes(name)));
  return fc.oneof(fc.record(needed), fc.record(fields, { requiredKeys: [...required] }));
}

function texts({ pattern, format, examples = [], minLength = 0, maxLength = 300 }: Schema): Values {
  const made = pattern !== undefined ? matching(pattern) : format !== undefined ? formatted(format) : free(minLength, maxLength);
  const timely = examples.some((example) => /^\d{4}-\d\d-\d\dT/.test(String(example)));
  return fc.oneof(
    ...(examples.length === 0 ? [] : [{ weight: 2, arbitrary: fc.constantFrom(...examples) }]),
    ...(timely ? [{ weight: 4, arbitrary: instants }] : []),
    { weight: timely ? 1 : 2, arbitrary: made },
  );
}

const matching = (pattern: string): Values => fc.stringMatching(new RegExp(pattern), { size: 'xsmall' });

const free = (least: number, most: number): Values =>
  fc.oneof(
    fc.string({ minLength: least, maxLength: Math.min(most, 40) }),
    fc.string({ minLength: least, maxLength: Math.min(most, 20), unit: 'grapheme' }),
  );

function formatted(format: string): Values {
  if (format === 'uuid') return fc.uuid();
  if (format === 'email')
    return fc.oneof(
      fc.emailAddress(),
      fc.nat(999).map((number) => `guest${String(number)}@example.test`),
    );
  return format === 'uri' ? fc.webUrl() : instants;
}

const offsets = ['Z', '+00:00', '-11:30', '+05:45', '', ' 02:00', '+0100'];
const instants: Values = fc
  .tuple(fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }), fc.constantFrom(...offsets))
  .map(([date, offset]) => `${date.toISOString().slice(0, 19)}${offset}`);

export function resolved(reference: string): Schema {
  const found = description.components.schemas[reference.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`${reference} is not described`);
  return found;
}
