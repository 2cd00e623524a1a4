import { isUrl } from '../../kernel/url.ts';

export type RedirectStatus = 'ok' | 'failed' | 'unreachable';

/** Judges the url at which the http version of a project ended, null when it did not answer (docs/spec/decisions.md#P9). */
export function redirectStatus(projectUrl: string, finalUrl: string | null): RedirectStatus {
  if (finalUrl === null) return 'unreachable';
  if (!isUrl(finalUrl)) return 'failed';
  const final = new URL(finalUrl);
  return final.protocol === 'https:' && bare(final.hostname) === bare(new URL(projectUrl).hostname) ? 'ok' : 'failed';
}

const bare = (host: string): string => host.replace(/\.$/, '').replace(/^www\./, '');

/** Whether two inspections of one http url ended at the same place, and so with the same status; a session id in the query is no change. */
export const isSamePlace = (one: string | null, other: string | null): boolean => place(one) === place(other);

const place = (url: string | null): string | null => (url !== null && isUrl(url) ? new URL(url).origin + new URL(url).pathname : url);

/** The http version of `https://host/path`; null where there is none: an http project, or a port of its own (docs/spec/decisions.md#P9). */
export function httpVersionOf(projectUrl: string): string | null {
  const url = new URL(projectUrl);
  if (url.protocol !== 'https:' || url.port !== '') return null;
  url.protocol = 'http:';
  return url.href;
}
