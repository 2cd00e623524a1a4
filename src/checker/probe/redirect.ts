import type { Guard } from '../../security/ssrf-guard/guard.ts';
import { headerOf, type Head } from './exchange.ts';
import type { Trouble } from './outcome.ts';
import type { ProbeRequest } from './probe-request.ts';
import type { Outgoing } from './request-headers.ts';

const MOST_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface Redirect {
  readonly kind: 'redirect';
  readonly url: URL;
  readonly location: string;
  readonly method: 'GET' | 'POST';
}

/** Where an answer leads; null when it is where the journey ends. */
export function nextRequest(
  head: Head,
  from: Outgoing,
  request: ProbeRequest,
  followed: number,
  guard: Guard,
): Redirect | Extract<Trouble, { kind: 'failed' }> | null {
  if (!REDIRECTS.has(head.status) || request.options?.stayOnFirst === true) return null;
  const location = headerOf(head.headers, 'location');
  if (location === undefined) return null;
  if (followed >= MOST_REDIRECTS)
    return refused(`it redirects more than ${String(MOST_REDIRECTS)} times, at last to ${location.slice(0, 100)}`);
  const read = guard.readUrl(location, from.url);
  if (!read.ok) return refused(`it redirects to ${location.slice(0, 100)}, which is not fetched: ${read.reason}`);
  const method = from.method === 'POST' && (head.status === 307 || head.status === 308) ? 'POST' : 'GET';
  if (method === 'POST' && read.url.origin !== from.url.origin)
    return refused(`it wants what was submitted to be sent on to ${read.url.origin.slice(0, 100)}`);
  return { kind: 'redirect', url: read.url, location, method };
}

const refused = (reason: string): Extract<Trouble, { kind: 'failed' }> => ({ kind: 'failed', code: 'redirect', reason });
