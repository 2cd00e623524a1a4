import { HttpException } from '@nestjs/common';
import { isTransientDatabaseError } from '../../persistence/transient-database-error.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { Limit } from '../../kernel/limits.ts';
import { errorTable } from './error-table.ts';
import { BudgetSpent, RateLimited, SecondFactorNeeded } from './refusals.ts';

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
  415: 'The content type is not supported; send application/json.',
  429: 'Too many requests. Please slow down.',
  503: 'The service is not available right now. Please try again.',
};

/** The answer to any error: never a stack, a statement or a path. */
export function answerOf(error: unknown): ErrorAnswer {
  if (error instanceof DomainError) return answerOfDomain(error);
  const status = statusOf(error);
  if (status !== null && status < 500) return full(status, parserMessage(error) ?? MESSAGES[status] ?? 'The request was refused.');
  if (status === 503) return full(503, MESSAGES[503] ?? '');
  if (isTransientDatabaseError(error)) return { ...full(503, MESSAGES[503] ?? ''), headers: { 'retry-after': '2' } };
  return { ...full(500, 'Something went wrong on our side. Please try again later.'), unforeseen: true };
}

function answerOfDomain(error: DomainError): ErrorAnswer {
  const row = errorTable[error.code];
  if (row === undefined) return { ...full(500, 'Something went wrong on our side. Please try again later.'), unforeseen: true };
  const retryAfter = isLimit(error) ? error.retryAfter : row.retryAfter;
  const headers: Record<string, string> = {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    // Some clients reject a 401 without a challenge as malformed.
    ...(row.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
  if (row.bare) return { status: row.status, headers, body: { message: error.message }, unforeseen: row.status === 500 };
  const answer = full(row.status, error.message);
  const limit = isLimit(error) ? error.limit : row.limit;
  const given = error instanceof SecondFactorNeeded ? { secondFactor: error.secondFactor } : {};
  return { ...answer, headers, body: { ...answer.body, ...row.extra, ...given }, limit };
}

const isLimit = (error: DomainError): error is RateLimited | BudgetSpent => error instanceof RateLimited || error instanceof BudgetSpent;

const full = (status: number, message: string): ErrorAnswer => ({
  status,
  headers: {},
  body: { message, code: status, ok: false, error: true },
  unforeseen: false,
});

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
