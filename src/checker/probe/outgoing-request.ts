import { type CheckMethod, hasBody } from '../../projects/checks/check.settings.ts';
import { isSameSite } from '../../kernel/url.ts';
import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { hostOf } from '../../platform/security/ssrf-guard/target-url.ts';
import { ACCEPT_ENCODING } from './content-coding.ts';
import { headerOf, type ResponseHead } from './exchange.ts';
import { isHeaderValue } from '../../projects/checks/extra-headers.ts';
import { answerChallenge } from './http-authentication.ts';
import type { ExchangeFailure, HeaderLine, SentRequest } from './outcome.ts';
import type { ProbeRequest, RequestBody } from './probe-request.ts';
import type { ProbeSession } from './probe-session.ts';

/** One request of a journey. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly method: CheckMethod;
  readonly body: RequestBody | undefined;
  readonly headers: readonly HeaderLine[];
}

/** As browsers send text. */
const PLAIN_TEXT = 'text/plain;charset=UTF-8';
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

export const requestTarget = (url: URL): string => `${url.pathname}${url.search}`;

/** Extra headers and credentials are sent to their origin (scheme, host, port) only. */
export function buildRequest(request: ProbeRequest, session: ProbeSession, url: URL, method: CheckMethod, first: URL): OutgoingRequest {
  const extra = url.origin === first.origin ? (request.headers ?? []) : [];
  const body = hasBody(method) ? request.body : undefined;
  const lines = new Map<string, HeaderLine>();
  const set = (name: string, value: string | undefined): void => {
    if (value !== undefined) lines.set(name.toLowerCase(), [name, wireText(value)]);
  };
  set('Host', url.port === '' ? hostHeader(url) : `${hostHeader(url)}:${url.port}`);
  set('User-Agent', request.userAgent);
  set('Accept', ACCEPT);
  set('Accept-Encoding', request.options?.uncompressed === true ? 'identity' : ACCEPT_ENCODING);
  set('Authorization', authorization(request, session, url, method));
  const cookies = session.cookies(url);
  set('Cookie', cookies);
  for (const [name, value] of extra) set(name, name.toLowerCase() === 'cookie' && cookies !== undefined ? `${cookies}; ${value}` : value);
  if (body !== undefined && (body.contentType !== '' || !lines.has('content-type'))) set('Content-Type', body.contentType || PLAIN_TEXT);
  if (hasBody(method)) set('Content-Length', String(body?.bytes.length ?? 0));
  set('Connection', 'close');
  return { url, method, body, headers: [...lines.values()] };
}

/** Extra headers are write-only, whatever their names. */
export const sentRequest = ({ url, method, body, headers }: OutgoingRequest, request: ProbeRequest): SentRequest => ({
  method,
  url: url.href,
  headers,
  bodyBytes: body?.bytes.length ?? 0,
  secret: new Set(['authorization', 'cookie', ...(request.headers ?? []).map(([name]) => name.toLowerCase())]),
});

const ASCII = /^[ -~]*$/;
/** Node sends header values as Latin-1; characters beyond ASCII are sent as UTF-8. */
const wireText = (text: string): string => {
  if (ASCII.test(text)) return text;
  return isHeaderValue(text) ? Buffer.from(text, 'utf8').toString('latin1') : '';
};

const hostHeader = (url: URL): string => (url.hostname.startsWith('[') ? url.hostname : hostOf(url));

function authorization({ credentials }: ProbeRequest, session: ProbeSession, url: URL, method: string): string | undefined {
  const known = session.challenges.get(url.origin);
  if (known === undefined || credentials === undefined || new URL(credentials.url).origin !== url.origin) return undefined;
  known.uses++;
  return answerChallenge(known.challenge, credentials, method, requestTarget(url), known.uses);
}

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface Redirect {
  readonly kind: 'redirect';
  readonly url: URL;
  readonly location: string;
  readonly method: CheckMethod;
}

type RefusedRedirect = Extract<ExchangeFailure, { kind: 'failed' }>;

/** As browsers do (Fetch standard, HTTP-redirect fetch). */
function methodAfter(status: number, method: CheckMethod): CheckMethod {
  if (status === 303) return method === 'HEAD' ? 'HEAD' : 'GET';
  return method === 'POST' && (status === 301 || status === 302) ? 'GET' : method;
}

/** The redirect to follow; null if the answer is final. */
export function redirectOf(
  head: ResponseHead,
  from: OutgoingRequest,
  request: ProbeRequest,
  followed: number,
  guard: SsrfGuard,
): Redirect | RefusedRedirect | null {
  if (!REDIRECTS.has(head.status) || request.options?.stayOnFirst === true) return null;
  const location = headerOf(head.headers, 'location');
  if (location === undefined) return null;
  if (followed >= MAX_REDIRECTS)
    return refused(`it redirects more than ${String(MAX_REDIRECTS)} times, at last to ${location.slice(0, 100)}`);
  const read = guard.readUrl(location, from.url);
  if (!read.ok) return refused(`it redirects to ${location.slice(0, 100)}, which is not fetched: ${read.reason}`);
  const method = methodAfter(head.status, from.method);
  if (hasBody(method) && !isSameSite(from.url.href, read.url.href))
    return refused(`it redirects the submitted data to another origin: ${read.url.origin.slice(0, 100)}`);
  return { kind: 'redirect', url: read.url, location, method };
}

const refused = (reason: string): RefusedRedirect => ({ kind: 'failed', code: 'redirect', reason });
