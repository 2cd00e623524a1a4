import { parsedUrl } from './url.ts';

/** Why an address cannot be used for a project, in plain words. */
export type UrlProblem = { readonly kind: 'invalid'; readonly reason: string };
export type SiteUrl = { readonly kind: 'valid'; readonly url: string; readonly host: string };

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
// oxlint-disable-next-line no-control-regex -- control characters are searched for, because the URL parser drops them silently
const CONTROL = /[\u0000-\u0020\u007f-\u009f\ufeff]/;
const MAX_LENGTH = 2048;
/** The URL parser reads the scheme as the host where the colon or a slash is missing, or a scheme stands twice. */
const MISSPELT: readonly string[] = ['http', 'https'];

/** Reads an address as docs/spec/decisions.md#P4 says; whether it may be fetched is the guard's question. */
export function readSiteUrl(raw: string): SiteUrl | UrlProblem {
  const text = raw.trim();
  if (text === '') return invalid('it is empty');
  if (CONTROL.test(text)) return invalid('it contains white space or control characters');
  const absolute = SCHEME.test(text) ? text : `https://${text}`;
  const url = parsedUrl(absolute);
  if (url === null) return invalid('it cannot be read as an address');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return invalid('only http and https are supported');
  if (url.username !== '' || url.password !== '' || authority(absolute).includes('@')) return invalid('it carries user information');
  if (MISSPELT.includes(url.hostname)) return invalid('its scheme is misspelt');
  if (!isHost(url.hostname)) return invalid('its host is not one');
  if (url.port === '0') return invalid('its port is out of range');
  const kept = keepAsWritten(absolute, url);
  // The stored form counts, because clients send it back: letters beyond ASCII are longer in it.
  return kept.length > MAX_LENGTH ? invalid('it is too long') : { kind: 'valid', url: kept, host: url.host };
}

const invalid = (reason: string): UrlProblem => ({ kind: 'invalid', reason });

const authority = (absolute: string): string => /^[^:]+:\/\/([^/?#\\]*)/.exec(absolute)?.[1] ?? '';

/** A name, or a literal address; the parser has lowered the case and encoded the international form. */
function isHost(host: string): boolean {
  if (host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host)) return true;
  return host.length <= 253 && /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/.test(host);
}

/** A bare site stays without the slash that the parser adds: clients compare it with what they sent. */
function keepAsWritten(absolute: string, url: URL): string {
  url.hash = '';
  const bare = url.pathname === '/' && url.search === '' && !/^[^:]+:\/\/[^/]*\//.test(absolute);
  return bare ? url.href.replace(/\/$/, '') : url.href;
}
