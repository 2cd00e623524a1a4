import type { IncomingHttpHeaders } from 'node:http';
import { errorTable } from '../../src/platform/http/errors/error-table.ts';
import type { SeenWithHeaders, Sent } from './request-sender.ts';

interface ErrorBody {
  readonly message?: string;
  readonly errorCode?: string;
  readonly requestId?: string;
  readonly docs?: string;
  readonly param?: string;
  readonly allowed?: unknown;
  readonly errors?: readonly { readonly message: string; readonly param?: string; readonly allowed?: unknown }[];
}

const POLICIES = /^"(account|token|address)";q=\d+;w=\d+(, "(account|token)";q=\d+;w=\d+)*$/;
const LEFT = /^"(account|token|address)";r=\d+;t=[1-9]\d*(, "(account|token)";r=\d+;t=[1-9]\d*)*$/;

/** What the headers of an answer lack, or how they contradict its body; null when they are as docs/spec/decisions.md has them (G4, G5, G12, G15). */
export function headerProblem({ method }: Pick<Sent, 'method'>, { status, headers, text, type }: SeenWithHeaders): string | null {
  if (headers['x-request-id'] === undefined) return 'has no X-Request-Id';
  if ((method === 'HEAD' || method === 'OPTIONS') && text !== '' && status < 300) return 'has a body';
  if (method === 'OPTIONS' && status === 204 && !/\bOPTIONS$/.test(headers.allow ?? '')) return 'does not state its methods';
  const { ratelimit, 'ratelimit-policy': policy } = headers;
  if (method === 'OPTIONS' && policy !== undefined) return 'counts for a limit';
  if ((ratelimit === undefined) !== (policy === undefined)) return 'states a limit without its policy, or the other way round';
  if (policy !== undefined && !(POLICIES.test(String(policy)) && LEFT.test(String(ratelimit))))
    return `states the limit as ${String(policy)}`;
  if (status < 400) return null;
  return refusalProblem({ status, headers, text, type });
}

function refusalProblem({ status, headers, text, type }: SeenWithHeaders): string | null {
  const code = String(headers['watchledger-error-code']);
  const row = Object.hasOwn(errorTable, code) ? errorTable[code] : undefined;
  if (row === undefined) return `has the error code ${code}`;
  if (row.status !== status) return `has the error code ${code} of ${String(row.status)}`;
  if (status === 401 && headers['www-authenticate'] === undefined) return 'has no WWW-Authenticate';
  if ((status === 429 || row.retryAfter !== undefined) && !/^[1-9]\d*$/.test(String(headers['retry-after']))) return 'has no Retry-After';
  if (row.retiredAt !== undefined && !(headers['deprecation'] && headers['sunset'] && headers.link))
    return 'does not say since when it is retired';
  if (text === '' || !type.startsWith('application/json')) return null;
  const body = JSON.parse(text) as ErrorBody; // held against the description beside this
  if (row.bare === true) return Object.keys(body).join() === 'message' ? null : 'has more than its message';
  if (body.errorCode !== code || body.docs !== `/docs/errors#${code}`) return `has the header ${code}`;
  if (body.requestId !== headers['x-request-id']) return 'names another request than its header';
  return body.errors === undefined ? null : problemOfFirst(body, body.errors);
}

function problemOfFirst({ message = '', param, allowed }: ErrorBody, [first]: NonNullable<ErrorBody['errors']>): string | null {
  if (first === undefined || !message.startsWith(first.message)) return 'does not begin with its first problem';
  const isOfFirst = (first.param ?? param) === param && JSON.stringify(first.allowed) === JSON.stringify(allowed);
  return isOfFirst ? null : 'has not the members of its first problem';
}

/** The next page of a list, below the prefix. */
export function nextPage({ link }: IncomingHttpHeaders): string | null {
  const address = /<([^>]*)>; rel="next"/.exec(String(link))?.[1];
  if (address === undefined) return null;
  const { pathname, search } = new URL(address);
  return `${pathname.replace(/^\/api/, '')}${search}`;
}
