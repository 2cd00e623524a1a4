import { tokenScopes } from '../accounts/token-scopes.ts';
import { MAX_PROBLEMS } from '../kernel/errors.ts';
import { docsOf } from '../platform/http/errors/answer-of.ts';
import { codesByStatus, errorTable } from '../platform/http/errors/error-table.ts';
import type { Right } from '../accounts/rights/right.ts';
import { factorChoice, PROOF } from '../platform/http/description/vocabulary.ts';
import type { Refusal } from '../platform/http/description/operation.ts';
import { always, anything, integer, list, named, orNull, record, type Schema, text, word } from '../platform/http/description/schema.ts';

/** A response object of OpenAPI. */
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
}

/** By status. */
export type Responses = Readonly<Record<string, Response | { readonly $ref: string }>>;

/** Beside those of the interface (docs/spec/decisions.md#G15). */
const codes = {
  errorCode: word(Object.keys(errorTable), 'The stable code of the error'),
  docs: text('Where the error is explained: a path of this service'),
  requestId: text('The id of the request, as in the header `X-Request-Id` and in the log'),
};
const problem = {
  param: text('The field, as a path such as `options.w` or `rules.0.val`, the query parameter or the header that is wrong'),
  allowed: anything('What is accepted: a list of values, or an object with bounds such as `minimum` and `maxLength`'),
};
const problems = {
  ...problem,
  errors: list(record('A problem', { message: text('The problem') }, problem), 'Of invalid input: every problem', {
    maxItems: MAX_PROBLEMS,
  }),
};

const changeSchema = named(
  'UnreadChange',
  record('An event that changed the settings', {
    id: text('The event', { format: 'uuid' }),
    type: text('Type of the event'),
    actor: record(
      'Actor that caused it',
      { kind: text('Kind of actor'), id: text('Of a user the user id'), name: orNull(text('Null of an erased account')) },
      { tokenId: text('Token of the user') },
    ),
    recordedAt: text('Time at which the log recorded it', { format: 'date-time' }),
    summary: text('One sentence for a person'),
  }),
);

const bodies = {
  Error: named(
    'Error',
    record(
      'A refusal',
      {
        message: text('The reason; a validation error names each offending field'),
        code: integer('The status of the answer', { minimum: 400, maximum: 599 }),
        ok: always(false, 'Always false'),
        error: always(true, 'Always true'),
        ...codes,
      },
      { ...problems, scope: word(tokenScopes, 'The scope that a narrowed token lacks') },
    ),
  ),
  Message: named('Message', record('A refusal, without anything else', { message: text('The reason') })),
  SecondFactorNeeded: named(
    'SecondFactorNeeded',
    record(
      'Not signed in. With `secondFactor` the password was right, and the account has a second factor',
      {
        message: text('The reason'),
        code: always(401, 'The status of the answer'),
        ok: always(false, 'Always false'),
        error: always(true, 'Always true'),
        ...codes,
      },
      { secondFactor: factorChoice, param: problem.param },
    ),
  ),
  EvidenceExpired: named(
    'EvidenceExpired',
    record('Evidence that is not kept any more', {
      message: text('The reason'),
      code: always(410, 'The status of the answer'),
      ok: always(false, 'Always false'),
      error: always(true, 'Always true'),
      ...codes,
      known: record('What the event names', {
        exchange: orNull(text('SHA-256 of the exchange; null for an event that names none')),
        page: orNull(text('SHA-256 of the page; null for an event that names none')),
      }),
    }),
  ),
  PreconditionFailed: named(
    'PreconditionFailed',
    record(
      'The settings were changed since they were read',
      {
        message: text('The reason, with the last change'),
        code: always(412, 'The status of the answer'),
        ok: always(false, 'Always false'),
        error: always(true, 'Always true'),
        ...codes,
        etag: text('The tag of the present settings, for `If-Match`'),
        changes: list(changeSchema, 'The changes since the settings were read, in order; empty where none is known', { maxItems: 20 }),
      },
      { param: problem.param },
    ),
  ),
  StartError: named(
    'StartError',
    record(
      'A start time that is missing or cannot be read',
      {
        message: text('The reason'),
        code: always(405, 'The status of the answer'),
        success: always(false, 'Always false'),
        ok: always(false, 'Always false'),
        error: always(true, 'Always true'),
        ...codes,
      },
      problem,
    ),
  ),
};

const retryAfter = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } };

/** The code of the example of a status. */
const EXAMPLES: Readonly<Record<number, string>> = {
  400: 'INVALID_INPUT',
  404: 'NOT_FOUND',
  409: 'IDEMPOTENCY_KEY_REUSED',
  410: 'EVIDENCE_EXPIRED',
  412: 'PRECONDITION_FAILED',
  503: 'STORE_UNAVAILABLE',
};

const errorCodeHeader = { 'Watchledger-Error-Code': { description: 'The stable code of the error', schema: { type: 'string' } } };

/** The headers of answers to requests with the retired API key (docs/spec/decisions.md#A5). */
const retirement = {
  Deprecation: { description: 'Since when the API key is deprecated, as `@` and seconds (RFC 9745)', schema: { type: 'string' } },
  Sunset: { description: 'Since when the API key is refused (RFC 8594)', schema: { type: 'string' } },
  Link: { description: 'To the explanation, with `rel="deprecation"`', schema: { type: 'string' } },
};

/** Refusals that are the same for every operation (docs/spec/interface.md#errors; docs/spec/decisions.md#G4). */
const REASONS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read, or a field is invalid',
  401: 'The token is missing, malformed or expired',
  403: 'The address of the account is not confirmed, the plan has no API access, the caller lacks the right, or the token the scope',
  404: 'The object was not found',
  409: 'The Idempotency-Key was already used for a different request',
  412: 'The settings are not those whose tag `If-Match` has',
  413: 'The body is larger than 1 MiB, or than 16 KiB where no token is needed',
  415: 'The content type is not JSON, or for PATCH a merge patch',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Temporarily unavailable; retry the same request',
};

export const sharedResponses: Readonly<Record<string, Response>> = Object.fromEntries(
  Object.keys(REASONS).map((status) => [`Error${status}`, responseOf(Number(status), [whyOf(Number(status))])]),
);

/** The answer to `If-None-Match` with the current tag (docs/spec/decisions.md#G16). */
export const NOT_MODIFIED: Response = { description: '`If-None-Match` has the tag of the answer; no body' };

interface Traits {
  /** It may be sent with an `Idempotency-Key`. */
  readonly changes: boolean;
  /** It needs a recent sign-in. */
  readonly confirmed: boolean;
  /** It takes `If-Match`. */
  readonly matched: boolean;
}

/** Every status but 200 that an operation may answer. */
export function errorResponses(
  method: string,
  right: Right,
  { changes, confirmed, matched }: Traits,
  given: Readonly<Record<number, Refusal>>,
): Responses {
  const shared = statusesOf(method, right, { changes, matched });
  const own = confirmed ? { 403: { why: `The operation needs ${PROOF}` }, ...given } : given;
  const statuses = [...new Set([...shared, ...Object.keys(own).map(Number)])];
  const responseTo = (status: number): Responses[string] => {
    const refusal = own[status];
    if (refusal === undefined) return { $ref: `#/components/responses/Error${String(status)}` };
    return responseOf(status, [...(shared.includes(status) ? [whyOf(status)] : []), refusal]);
  };
  return Object.fromEntries(statuses.sort((one, other) => one - other).map((status) => [String(status), responseTo(status)]));
}

function statusesOf(method: string, right: Right, { changes, matched }: Pick<Traits, 'changes' | 'matched'>): readonly number[] {
  return [
    ...[400, 401, 429, 500, 503],
    ...(right.kind === 'public' ? [] : [403]),
    ...(right.kind === 'project' && right.unknown === 404 ? [404] : []),
    ...(changes && right.kind !== 'public' ? [409] : []),
    ...(matched ? [412] : []),
    ...(method === 'GET' ? [] : [413, 415]),
  ];
}

function whyOf(status: number): Refusal {
  return { why: REASONS[status] ?? 'It was refused', ...(status === 412 && { schema: 'PreconditionFailed' as const }) };
}

function responseOf(status: number, refusals: readonly Refusal[]): Response {
  const schemas = [...new Set(refusals.map(({ schema }) => bodies[schema ?? 'Error']))];
  const [last] = refusals.slice(-1);
  const body = last === undefined ? {} : exampleOf(status, last);
  const [only] = schemas;
  return {
    description: refusals.map(({ why }) => why).join('; or: '),
    headers: { ...errorCodeHeader, ...((status === 429 || status === 503) && retryAfter), ...(status === 401 && retirement) },
    content: {
      'application/json': { schema: schemas.length === 1 && only !== undefined ? only : { anyOf: schemas }, example: body },
      ...(last?.asPage === true && { 'text/html': { schema: text('The reason, as a page for browsers'), example: '<!doctype html>' } }),
    },
  };
}

function exampleOf(status: number, { why: message, schema }: Refusal): object {
  if (schema === 'Message') return { message };
  const errorCode = schema === 'StartError' ? 'START_INVALID' : (EXAMPLES[status] ?? codesByStatus[status] ?? 'NOT_FOUND');
  return {
    message,
    code: status,
    ...(schema === 'StartError' && { success: false }),
    ok: false,
    error: true,
    errorCode,
    docs: docsOf(errorCode),
    requestId: '7b0e4a52-8a0e-4a6e-9d0c-8e3f5d1c2b1a',
    ...(schema === 'PreconditionFailed' && { param: 'If-Match', etag: '"u3f0Yd2p4m1x7Qz9sKcLwA"', changes: [] }),
    ...(schema === 'EvidenceExpired' && { known: { exchange: 'a'.repeat(64), page: null } }),
  };
}
