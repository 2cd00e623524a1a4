import type { ErrorCode } from './generated/api.ts';
import type { Schemas } from './types.ts';

/** The members that a refusal may have. */
export type RefusalBody = Partial<Schemas['Error']> &
  Partial<Pick<Schemas['PreconditionFailed'], 'changes' | 'etag'>> &
  Partial<Pick<Schemas['EvidenceExpired'], 'known'>> &
  Partial<Pick<Schemas['SecondFactorNeeded'], 'secondFactor'>>;

/** A refusal of the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** A later version of the service may send codes that are not in the type. */
  readonly errorCode: ErrorCode;
  /** Leads to the cause in the log of the service. */
  readonly requestId: string | null;
  /** The field, parameter or header that is wrong. */
  readonly param: string | null;
  /** What it accepts: a list of values, or an object with bounds. */
  readonly allowed: unknown;
  /** Seconds to wait before a repeat. */
  readonly retryAfter: number | null;

  constructor(
    /** The method and path of the request, such as `PUT /project/…`. */
    readonly request: string,
    readonly status: number,
    readonly headers: Headers,
    /** Empty where something between client and service refused. */
    readonly body: RefusalBody,
  ) {
    super(body.message ?? `${request} was answered ${String(status)}`);
    this.errorCode = (body.errorCode ?? headers.get('watchledger-error-code') ?? 'UNAVAILABLE') as ErrorCode; // as the service states it
    this.requestId = body.requestId ?? headers.get('x-request-id');
    this.param = body.param ?? null;
    this.allowed = body.allowed;
    this.retryAfter = secondsOf(headers.get('retry-after'));
  }
}

/** The service could not be reached, did not answer in time, or its answer broke off. A write may have been executed. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(
    readonly request: string,
    readonly reason: 'timeout' | 'network',
    cause: unknown,
  ) {
    super(reason === 'timeout' ? `${request} was not answered in time` : `${request} could not be sent, or its answer broke off`, {
      cause,
    });
  }
}

/** Seconds, or a date of HTTP. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
