import { answersAsOf } from '../platform/http/as-of/as-of-routes.ts';
import { listParameters } from '../platform/http/lists/list-request.ts';
import { mayWrite } from '../platform/http/context/request-context.ts';
import type { Right } from '../accounts/rights/right.ts';
import { apiRights, matchedOperations, recentSignInOperations } from './api-rights.ts';
import { scopeOf } from '../accounts/rights/scopes.ts';
import { errorResponses, NOT_MODIFIED, type Response, type Responses, sharedResponses } from './error-responses.ts';
import { atInstant, PROOF } from '../platform/http/description/vocabulary.ts';
import { type Body, type Content, type Operation, type Parameter, tags } from '../platform/http/description/operation.ts';
import { operationTable } from './operation-table.ts';
import { namedSchemas, type Schema, text } from '../platform/http/description/schema.ts';
import { serviceOperations } from '../platform/http/description/service.api.ts';
import { teamOperations } from './team-operations.ts';

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, object>> };
  readonly responses: Responses;
  readonly security: readonly object[];
  readonly servers?: readonly object[];
}

export interface Description {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly object[];
  readonly tags: readonly object[];
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: object;
  };
}

const TOKEN = [{ token: [] }];
const INTRODUCTION =
  'Site monitoring with a provable history. `POST /authenticate` answers the bearer token that the other operations require. ' +
  'A write with an `Idempotency-Key` is executed once, however often it is sent. ' +
  'Every path answers `OPTIONS` with its methods, and `HEAD` where `GET` changes nothing.';

/**
 * The OpenAPI description: the rows of the operation table, with the rights that the routes state and the errors that follow from them. `teams`:
 * modules of team packages, whose routes are described from their decorators alone.
 */
export function describeApi(version: string, teams: readonly object[] = []): Description {
  const own = Object.entries(operationTable).map(([key, operation]) => [key, describe(key, operation, apiRights[key])] as const);
  const service = Object.entries(serviceOperations).map(([key, operation]) => [key, describeService(operation)] as const);
  const ofTeams = teamOperations(teams).map(({ key, operation, right }) => [key, describe(key, operation, right)] as const);
  const rows = [...own, ...ofTeams, ...service];
  const used = new Set(rows.flatMap(([, operation]) => operation.tags));
  return {
    openapi: '3.1.0',
    info: { title: 'Watchledger', version, description: INTRODUCTION },
    servers: [{ url: '/api' }],
    tags: Object.entries(tags).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : [])),
    security: TOKEN,
    paths: byPath(rows),
    components: {
      schemas: namedSchemas([rows, sharedResponses]),
      responses: sharedResponses,
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function byPath(rows: readonly (readonly [string, DescribedOperation])[]): Description['paths'] {
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const [key, operation] of rows) {
    const [method = '', route = ''] = key.split(' ');
    const path = templateOf(route);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return paths;
}

/** `/project/:id` as `/project/{id}`; a star is named `tile`. */
const templateOf = (route: string): string => route.replace(/:(\w+)/g, '{$1}').replace('*', '{tile}');

function describe(key: string, operation: Operation, right: Right | undefined): DescribedOperation {
  const [method = '', route = ''] = key.split(' ');
  if (right === undefined) throw new Error(`${key} has no route that states its right`);
  const raw = route === '/openapi.json';
  const changes = mayWrite(method, `/api${route}`);
  const asOf = answersAsOf(method, `/api${route}`);
  const confirmed = recentSignInOperations.has(key);
  const tagged = method === 'GET' && !changes;
  const signable = tagged && right.kind !== 'public';
  const matched = matchedOperations.has(key);
  return {
    ...headOf(operation, confirmed ? `${needOf(right)} Also needs ${PROOF}.` : needOf(right)),
    parameters: parametersOf(operation, { asOf, tagged, signable, matched, idempotent: changes && right.kind !== 'public' }),
    ...(operation.body !== undefined && { requestBody: bodyOf(operation.body) }),
    responses: {
      ...successesOf(operation, { tagged, positioned: signable }),
      ...(tagged && { '304': NOT_MODIFIED }),
      ...(raw ? {} : errorResponses(method, right, { changes, confirmed, matched }, operation.refusals ?? {})),
    },
    security: right.kind === 'public' ? [] : TOKEN,
  };
}

function describeService(operation: Operation): DescribedOperation {
  const ready =
    operation.id === 'isReady' ? { '503': { ...successOf(operation, PLAIN), description: 'A part of the instance does not work' } } : {};
  return {
    ...headOf(operation, null),
    parameters: [],
    responses: { '200': successOf(operation, PLAIN), ...ready },
    security: [],
    servers: [{ url: '/' }],
  };
}

function headOf({ id, tag, summary, description }: Operation, need: string | null) {
  const sentences = [description, need].filter((sentence) => sentence !== undefined && sentence !== null).join(' ');
  return { operationId: id, tags: [tag], summary, ...(sentences !== '' && { description: sentences }) };
}

function needOf(right: Right): string {
  const scope = scopeOf(right);
  return scope === null ? roleOf(right) : `${roleOf(right)} A narrowed token needs the scope \`${scope}\`.`;
}

const ROLES_OF_SYSTEM = {
  admin: 'For administrators of the installation.',
  people: 'For administrators of the installation who are people.',
  reader: 'For administrators and auditors of the installation.',
} as const;

function roleOf(right: Right): string {
  switch (right.kind) {
    case 'public':
      return 'Needs no token.';
    case 'account':
      return 'Needs a token, also on a plan without API access.';
    case 'caller':
      return 'Needs a token.';
    case 'creator':
      return 'Needs a token; auditors are refused.';
    case 'system':
      return ROLES_OF_SYSTEM[right.who];
    case 'project':
      if (right.needs === 'owner') return 'For the owner of the project.';
      return right.needs === 'member' ? 'For members of the project.' : `Needs the permission \`${right.needs}\`.`;
  }
}

function parametersOf(
  { path = {}, query: own = {}, list, headers = {} }: Operation,
  { asOf, tagged, signable, matched, idempotent }: Readonly<Record<'asOf' | 'tagged' | 'signable' | 'matched' | 'idempotent', boolean>>,
): readonly DescribedParameter[] {
  // What an operation says of a parameter is nearer to the truth than what is said of every list.
  const query = list === undefined ? own : { ...own, ...listParameters(list), ...own };
  const inPath = mapOf(path, (schema) => ({ schema, required: true as const }));
  return [
    ...listed('path', inPath),
    ...listed('query', query),
    ...(asOf ? listed('query', { asOf: { schema: AS_OF } }) : []),
    ...listed('header', headers),
    ...(tagged ? listed('header', { 'If-None-Match': { schema: IF_NONE_MATCH } }) : []),
    ...(signable ? listed('header', { 'Accept-Signature': { schema: ACCEPT_SIGNATURE } }) : []),
    ...(matched ? listed('header', { 'If-Match': { schema: IF_MATCH } }) : []),
    ...(idempotent ? listed('header', { 'Idempotency-Key': { schema: IDEMPOTENCY_KEY } }) : []),
  ];
}

const AS_OF = atInstant(
  'The answer as of this instant or this position of the log; of a project also as of an apply, `commit:` and its commit',
);
const IF_NONE_MATCH = text('Tags of earlier answers, or `*`: 304 where the answer would be the same');
const ACCEPT_SIGNATURE = text(
  'Asks for a signature over the answer, a receipt (RFC 9421): a label and a list of components, such as `receipt=()`',
  {
    examples: ['receipt=()'],
  },
);
const IF_MATCH = text(
  'Tags of the object as it was read: 412 where its settings were changed since; verdicts and measurements do not count',
);
const IDEMPOTENCY_KEY = text('The write is executed once; a repeat within 24 h returns the original answer', {
  pattern: '^[\\x21-\\x7e]{1,255}$',
});

const mapOf = <From, To>(fields: Readonly<Record<string, From>>, change: (from: From) => To): Readonly<Record<string, To>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));

const listed = (place: DescribedParameter['in'], parameters: Readonly<Record<string, Parameter>>): readonly DescribedParameter[] =>
  Object.entries(parameters).map(([name, { schema, required = false }]) => ({ name, in: place, required, schema }));

function successesOf(operation: Operation, traits: AnswerTraits): Responses {
  const { redirect, answer } = operation;
  return {
    ...(redirect !== undefined && Object.keys(answer).length === 0 ? {} : { '200': successOf(operation, traits) }),
    ...(redirect !== undefined && { [REDIRECT]: { description: redirect } }),
  };
}

const REDIRECT = '302';

interface AnswerTraits {
  /** It has an `ETag`. */
  readonly tagged: boolean;
  /** It names its position of the log, and is signed where the request asks for it. */
  readonly positioned: boolean;
}

const PLAIN: AnswerTraits = { tagged: false, positioned: false };

function successOf({ answer, list }: Operation, { tagged, positioned }: AnswerTraits): Response {
  const headers = {
    ...(tagged && { ETag: { schema: text('Changes with the body; absent where the body is a stream') } }),
    ...(positioned && { 'Watchledger-As-Of': { schema: text('The position of the log that the answer stands on') }, ...RECEIPT_HEADERS }),
    ...(list !== undefined && { Link: { schema: text('`rel="next"`: the next page; `rel="first"`: the first one') } }),
  };
  return {
    description: 'Success',
    ...(Object.keys(headers).length > 0 && { headers }),
    content: mapOf(answer, contentOf),
  };
}

const SIGNED = 'Only with `Accept-Signature`, and where the body is not a stream:';
const RECEIPT_HEADERS = {
  'Watchledger-Receipt': { schema: text(`${SIGNED} what the answer is a statement of, "now" in it, and the account that asked`) },
  'Content-Digest': { schema: text(`${SIGNED} SHA-256 of the body (RFC 9530)`) },
  'Signature-Input': { schema: text(`${SIGNED} the covered components and the key (RFC 9421)`) },
  Signature: { schema: text(`${SIGNED} the Ed25519 signature`) },
};

function bodyOf(body: Body): NonNullable<DescribedOperation['requestBody']> {
  const { optional, types = ['application/json'] } = body;
  return { required: optional !== true, content: Object.fromEntries(types.map((type) => [type, contentOf(body)])) };
}

function contentOf({ schema, example, lines, messages }: Content) {
  return {
    schema,
    ...(example !== undefined && { example }),
    ...(lines !== undefined && { 'x-lines': lines }),
    ...(messages !== undefined && { 'x-messages': messages }),
  };
}
