import { hostOf } from '../../security/ssrf-guard/target-url.ts';
import { answerChallenge } from './challenge.ts';
import { isHeaderValue } from './extra-headers.ts';
import { ACCEPT_ENCODING } from './content-coding.ts';
import type { HeaderLine } from './outcome.ts';
import type { ProbeRequest, RequestBody } from './probe-request.ts';
import type { ProbeSession } from './probe-session.ts';

/** One request on the journey. */
export interface Outgoing {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly body: RequestBody | undefined;
  readonly headers: readonly HeaderLine[];
}

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

export const requestTarget = (url: URL): string => `${url.pathname}${url.search}`;

/** Headers travel as bytes: what is beyond ASCII goes as UTF-8. */
const PLAIN = /^[ -~]*$/;
const wireText = (text: string): string => {
  if (PLAIN.test(text)) return text;
  return isHeaderValue(text) ? Buffer.from(text, 'utf8').toString('latin1') : '';
};

function authorization(request: ProbeRequest, session: ProbeSession, url: URL, method: string): string | undefined {
  const known = session.challenges.get(url.origin);
  if (known === undefined || request.signIn === undefined || new URL(request.signIn.url).origin !== url.origin) return undefined;
  known.uses++;
  return answerChallenge(known.challenge, request.signIn, method, requestTarget(url), known.uses);
}

/** The headers for one hop. Extra headers and the sign-in stay with their origin (scheme, host, port). */
export function outgoing(request: ProbeRequest, session: ProbeSession, url: URL, method: 'GET' | 'POST', first: URL): Outgoing {
  const extra = url.origin === first.origin ? (request.headers ?? []) : [];
  const body = method === 'POST' ? request.body : undefined;
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
  if (body !== undefined) {
    set('Content-Type', body.contentType);
    set('Content-Length', String(body.bytes.length));
  }
  set('Connection', 'close');
  return { url, method, body, headers: [...lines.values()] };
}

const hostHeader = (url: URL): string => (url.hostname.startsWith('[') ? url.hostname : hostOf(url));
