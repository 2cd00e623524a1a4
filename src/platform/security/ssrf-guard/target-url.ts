import { isIP } from 'node:net';
import { DENIED_PORTS, type AddressRules } from './address-rules.ts';
import { parsedUrl } from '../../../kernel/url.ts';

export type TargetUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: string };

const LONGEST_URL = 8192;

/** The URL parser removes them silently, so the raw text is searched. */
function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}

const refused = (reason: string): TargetUrl => ({ ok: false, reason });

/** Members of projects learn no more: which addresses a name has may be known inside the operator's network only. */
export const notPublic = (host: string): string => `${host} is not a public address`;

/** The host for a socket: IPv6 without brackets. */
export const hostOf = (url: URL): string => (url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname);

export const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

function textProblem(text: string, base?: URL): string | null {
  if (text.length > LONGEST_URL) return 'the address is too long';
  if (hasControlCharacter(text)) return 'the address has a control character';
  return base === undefined && text !== text.trim() ? 'the address has white space around it' : null;
}

/** Checks the text of a URL before its host is resolved. The parser normalises spellings of an address such as `0x7f.1`, `2130706433` and `①②⑦.0.0.1`. */
export function readTargetUrl(text: string, rules: Pick<AddressRules, 'refusal'>, base?: URL): TargetUrl {
  const unreadable = textProblem(text, base);
  if (unreadable !== null) return refused(unreadable);
  const url = parsedUrl(text, base);
  if (url === null) return refused('the address cannot be read');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused(`${url.protocol.slice(0, 20)} is neither http nor https`);
  if (url.username !== '' || url.password !== '') return refused('the address carries a user name or password');
  const host = hostOf(url);
  if (host === '' || host.length > 253 + 1) return refused('the address has no usable host');
  const port = portOf(url);
  if (DENIED_PORTS.has(port)) return refused(`port ${String(port)} is not for web sites`);
  return isIP(host) !== 0 && rules.refusal(host) !== null ? refused(notPublic(host)) : { ok: true, url };
}
