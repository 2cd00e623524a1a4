import type { Operation } from '../../src/platform/http/description/operation.ts';
import { operationTable } from '../../src/app/operation-table.ts';
import type { Schema } from '../../src/platform/http/description/schema.ts';
import { apiRights } from '../../src/app/api-rights.ts';
import { type CallerName, ENDS_ITS_CALLER, ENDS_WHAT_IT_NAMES, type GeneratedRequest, realName } from './requests.ts';
import { REAL, resolved } from './schema-arbitrary.ts';

/** A request, what is large about it, and whether its operation accepts it. */
export interface LargeRequest extends GeneratedRequest {
  readonly what: string;
  readonly isValid: boolean;
}

interface Limits {
  readonly bytes: number;
  readonly values: number;
}

/** As `src/platform/http/server/request-bodies.ts`, less what surrounds the filling. */
const WITH_TOKEN: Limits = { bytes: 1_000_000, values: 4_800 };
const WITHOUT_TOKEN: Limits = { bytes: 15_000, values: 180 };
const DEPTH = 97;
/** The address and all headers together have 16 KiB. */
const QUERY = 14_000;
/** Values that are allowed to be long and have a form of their own. */
const LONGEST: Readonly<Record<string, unknown>> = {
  w: Array.from({ length: 50 }, (_, n) => `x-${String(n)}: ${'b'.repeat(150)}`).join('\n'),
};

/** For each operation the largest, deepest and most repetitive requests that the limits of bodies and addresses admit, valid and not. */
export const largestRequests = (): readonly LargeRequest[] =>
  Object.entries(operationTable)
    .filter(([, { id }]) => !id.endsWith('ByOtherPath'))
    .flatMap(([key, operation]) => [...bodies(key, operation), ...queries(operation)].map((large) => request(key, operation, large)));

interface Large {
  readonly what: string;
  readonly body?: unknown;
  readonly query?: string;
  readonly isValid?: true;
}

function request(key: string, { body: described, query: parameters = {} }: Operation, { what, body, query, isValid }: Large): LargeRequest {
  const [method = '', route = ''] = key.split(' ');
  const own = ENDS_WHAT_IT_NAMES.has(key);
  const path = route.replace(/:(\w+)/g, (_, name: string) => realName(route, name, own) ?? 'core').replace('*', '0/000');
  const required = Object.entries(parameters).filter(([, parameter]) => 'required' in parameter);
  const usual = required.map(([name, { schema }]) => `${name}=${encodeURIComponent(String(largest(schema, name, WITH_TOKEN)))}`);
  const asked = [...usual, ...(query === undefined ? [] : [query])].join('&');
  const sent = body ?? (described === undefined || 'optional' in described ? undefined : described.example);
  return {
    ...{ what, operation: key, kind: 'nearly', method, isValid: isValid === true },
    path: asked === '' ? path : `${path}?${asked}`,
    body: sent === undefined ? null : JSON.stringify(sent),
    caller: callerOf(key),
    headers: sent === undefined ? {} : { 'content-type': 'application/json' },
  };
}

/** A caller with the right, except for rebuilding all read models. */
function callerOf(key: string): CallerName {
  if (ENDS_ITS_CALLER.has(key)) return 'victim';
  if (key.endsWith('/rebuild')) return 'auditor';
  return apiRights[key]?.kind === 'system' ? 'admin' : 'owner';
}

function bodies(key: string, { body }: Operation): readonly Large[] {
  if (body === undefined) return [];
  const limits = apiRights[key]?.kind === 'public' ? WITHOUT_TOKEN : WITH_TOKEN;
  const fields = fieldsOf(body.schema);
  const names = Object.keys(fields);
  const each = (value: (share: number) => unknown): object => Object.fromEntries(names.map((name) => [name, value(names.length || 1)]));
  return [
    { what: 'largest', body: largest(body.schema, '', limits), isValid: true },
    { what: 'example', body: body.example, isValid: true },
    { what: 'deepest', body: each((share) => nested(Math.min(DEPTH, limits.values / share))) },
    { what: 'line ends', body: each((share) => repeated('a:\n', limits.bytes / 2 / share)) },
    { what: 'signs', body: each((share) => repeated('<![](({{"\'', limits.bytes / 2 / share)) },
    { what: 'letters', body: each((share) => repeated('a', limits.bytes / share - 100)) },
    { what: 'lists', body: each((share) => Array<object>(Math.floor(limits.values / share) - 1).fill({})) },
    { what: 'unknown names', body: { ...(body.example as object), ...numbered(limits.values - 100) } },
    { what: 'too many names', body: numbered(limits.bytes / 13) },
    {
      what: 'small objects of many names',
      body: { list: Array.from({ length: limits.bytes / 15 }, (_, n) => ({ [`n${String(n)}`]: 1 })) },
    },
  ];
}

function queries({ query = {}, body }: Operation): readonly Large[] {
  return [
    ...(body === undefined ? [{ what: 'usual', isValid: true } as const] : []),
    { what: 'unknown parameters', query: repeated('n&', QUERY) },
    ...Object.keys(query).flatMap((name) => [
      { what: `${name} repeated`, query: repeated(`${name}=${REAL[name]?.[0] ?? 'a'}&`, QUERY / 3) },
      { what: `${name} long`, query: `${name}=${repeated('a,', QUERY - 200)}` },
    ]),
  ];
}

const repeated = (part: string, room: number): string => part.repeat(Math.max(1, Math.floor(room / part.length)));
const numbered = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${String(n)}`, 1]));
const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

const fieldsOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  schema.$ref === undefined
    ? (schema.properties ?? schema.anyOf?.map(fieldsOf).find((fields) => Object.keys(fields).length > 0) ?? {})
    : fieldsOf(resolved(schema.$ref));

/** The largest value that a schema allows, within its share of the room. */
function largest(schema: Schema, name: string, room: Limits): unknown {
  if (schema.$ref !== undefined) return largest(resolved(schema.$ref), name, room);
  if (schema.anyOf !== undefined) return largest(schema.anyOf[0] ?? {}, name, room);
  if (name in LONGEST) return LONGEST[name];
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  switch (typeof schema.type === 'object' ? schema.type[0] : schema.type) {
    case 'string':
      return REAL[name]?.[0] ?? schema.examples?.[0] ?? 'a'.repeat(Math.min(schema.maxLength ?? 1_000, room.bytes));
    case 'integer':
    case 'number':
      return REAL[name]?.[0] ?? schema.maximum ?? 1_000_000;
    case 'boolean':
      return true;
    case 'array':
      return listOf(schema, name, room);
    case 'object':
      return recordOf(schema, room);
    default:
      return schema.examples?.[0] ?? 'a';
  }
}

function listOf({ maxItems, items = {} }: Schema, name: string, { bytes, values }: Limits): readonly unknown[] {
  const one = REAL[name]?.[0] ?? largest(items, '', { bytes: bytes / 100, values: values / 100 });
  const size = JSON.stringify(one).split(/[[{,]/).length;
  return Array<unknown>(Math.max(1, Math.min(maxItems ?? Infinity, Math.floor(values / size)))).fill(one);
}

function recordOf({ properties = {} }: Schema, { bytes, values }: Limits): object {
  const fields = Object.entries(properties).filter(([, { readOnly }]) => readOnly !== true);
  const share = { bytes: bytes / fields.length, values: values / fields.length };
  return Object.fromEntries(fields.map(([name, field]) => [name, largest(field, name, share)]));
}
