import { HttpException } from '@nestjs/common';
import { PreconditionFailed } from '../../commands/precondition.ts';
import { isTransientDatabaseError } from '../../postgres/transient-database-error.ts';
import { DomainError, InvalidInput, type InputProblem, paramIn } from '../../../kernel/errors.ts';
import type { Limit } from '../../../kernel/limits.ts';
import { codesByStatus, errorTable } from './error-table.ts';
import { BudgetSpent, EvidenceExpired, RateLimited, ScopeMissing, SecondFactorNeeded } from './refusals.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** A defect, not a refusal: it is logged with its cause. */
  readonly unforeseen: boolean;
  /** The limit that refused. */
  readonly limit?: Limit | undefined;
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request could not be read.',
  401: 'Access denied. Please log in to access the resource.',
  403: 'You do not have permission to access this resource.',
  404: 'The object was not found.',
  413: 'The request body is too large: at most 1 MiB with a token, 16 KiB for operations that need none.',
  415: 'The content type is not supported; send application/json, or application/merge-patch+json with PATCH.',
  429: 'Too many requests. Please slow down.',
  500: 'Something went wrong on our side. Please try again later.',
  503: 'The service is not available right now. Please try again.',
};

/** On every error, also where the body carries `message` and nothing else (docs/spec/decisions.md#G4). */
export const ERROR_CODE_HEADER = 'watchledger-error-code';

/** The page that explains an error; the service makes it of the error table. */
export const docsOf = (errorCode: string): string => `/docs/errors#${errorCode}`;

/** The answer to any error: never a stack, a statement or a path. */
export function answerOf(error: unknown, requestId: string): ErrorAnswer {
  if (error instanceof DomainError) return answerOfDomain(error, requestId);
  const status = statusOf(error);
  if (status !== null && status < 500) return answerOfStatus(status, requestId, parserMessage(error) ?? undefined);
  if (status === 503) return answerOfStatus(503, requestId);
  if (isTransientDatabaseError(error)) {
    const answer = answerOfStatus(503, requestId);
    return { ...answer, headers: { ...answer.headers, 'retry-after': '2' } };
  }
  return { ...answerOfStatus(500, requestId), unforeseen: true };
}

/** The answer to a request that no handler saw. */
export function answerOfStatus(status: number, requestId: string, message = MESSAGES[status] ?? 'The request was refused.'): ErrorAnswer {
  const errorCode = codesByStatus[status] ?? (status < 500 ? 'MALFORMED_REQUEST' : 'INTERNAL_ERROR');
  return { status, headers: { [ERROR_CODE_HEADER]: errorCode }, body: bodyOf(status, errorCode, message, requestId), unforeseen: false };
}

function answerOfDomain(error: DomainError, requestId: string): ErrorAnswer {
  const row = errorTable[error.code];
  if (row === undefined) return { ...answerOfStatus(500, requestId), unforeseen: true };
  const retryAfter = error.retryAfter ?? row.retryAfter;
  const headers: Record<string, string> = {
    [ERROR_CODE_HEADER]: error.code,
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    // Some clients reject a 401 without a challenge as malformed.
    ...(row.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(row.retiredAt === undefined ? {} : retirement(row.retiredAt, docsOf(error.code))),
  };
  if (row.bare) return { status: row.status, headers, body: { message: error.message }, unforeseen: row.status === 500 };
  const limit = isLimit(error) ? error.limit : row.limit;
  const factor = error instanceof SecondFactorNeeded ? { secondFactor: error.secondFactor } : {};
  const known = error instanceof EvidenceExpired ? { known: error.known } : {};
  const unread = error instanceof PreconditionFailed ? { etag: `"${error.present}"`, changes: error.changes } : {};
  const scope = error instanceof ScopeMissing ? { scope: error.scope } : {};
  const body = {
    ...bodyOf(row.status, error.code, error.message, requestId),
    ...problemsOf(error, row.param),
    ...row.extra,
    ...factor,
    ...known,
    ...unread,
    ...scope,
  };
  return { status: row.status, headers, body, unforeseen: false, limit };
}

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594); nothing retired here was accepted for a while longer. */
const retirement = (at: Date, docs: string): Readonly<Record<string, string>> => ({
  deprecation: `@${String(at.getTime() / 1000)}`,
  sunset: at.toUTCString(),
  link: ['deprecation', 'sunset'].map((rel) => `<${docs}>; rel="${rel}"; type="text/html"`).join(', '),
});

const bodyOf = (status: number, errorCode: string, message: string, requestId: string): object => ({
  message,
  code: status,
  ok: false,
  error: true,
  errorCode,
  docs: docsOf(errorCode),
  requestId,
});

/** The members of the first problem, and for invalid input all problems. */
function problemsOf(error: DomainError, stated: string | undefined): object {
  const problems = error instanceof InvalidInput ? error.problems : [];
  const [first] = problems;
  const { param, allowed }: Partial<InputProblem> = first ?? {};
  const named = param ?? stated ?? (first === undefined ? paramIn(error.message) : undefined);
  return {
    ...(named !== undefined && { param: named }),
    ...(allowed !== undefined && { allowed }),
    ...(problems.length > 0 && { errors: problems }),
  };
}

const isLimit = (error: DomainError): error is RateLimited | BudgetSpent => error instanceof RateLimited || error instanceof BudgetSpent;

/** Nest's exceptions carry `getStatus`, Fastify's errors `statusCode`. */
function statusOf(error: unknown): number | null {
  if (error instanceof HttpException) return error.getStatus();
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return null;
}

/** Fastify's own message about a malformed body. */
const parserMessage = (error: unknown): string | null =>
  error instanceof Error &&
  'code' in error &&
  String(error.code).startsWith('FST_ERR_CTP_INVALID') &&
  'statusCode' in error &&
  error.statusCode === 400
    ? error.message
    : null;
