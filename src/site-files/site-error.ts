import { answerOf } from '../platform/http/errors/answer-of.ts';
import { isObject } from '../kernel/is-object.ts';
import type { SitePlanAnswer } from './site-files.api.ts';

export type SiteError = NonNullable<SitePlanAnswer['error']>;

/** The error with which a request of its own would be answered; a defect fails the whole request. */
export function siteErrorOf(error: unknown, requestId: string): SiteError {
  const { status, headers, body, unforeseen } = answerOf(error, requestId);
  if (unforeseen) throw error;
  const message = isObject(body) && typeof body['message'] === 'string' ? body['message'] : '';
  return { status, errorCode: headers['watchledger-error-code'] ?? '', message };
}
