type HeaderLine = readonly [name: string, value: string];

export type ExtraHeaders = { readonly ok: true; readonly headers: readonly HeaderLine[] } | { readonly ok: false; readonly reason: string };

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const FORBIDDEN = new Set([
  'host',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'http2-settings',
]);
const MAX_LINES = 50;
const MAX_LENGTH = 8192;

/** Printable ASCII, tabs, and characters beyond ASCII (sent as UTF-8). */
export const isHeaderValue = (value: string): boolean => {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if ((code < 0x20 && code !== 9) || (code >= 0x7f && code < 0xa0)) return false;
  }
  return true;
};

/** The check option `w`: one header per line. One invalid line refuses all. */
export function readExtraHeaders(text: string): ExtraHeaders {
  const refused = (reason: string): ExtraHeaders => ({ ok: false, reason });
  if (text.length > MAX_LENGTH) return refused('the extra headers are longer than 8 KiB');
  const headers: HeaderLine[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0));
    const value = line.slice(colon + 1).trim();
    const shown = JSON.stringify(line.slice(0, 60));
    if (colon < 1 || !NAME.test(name)) return refused(`the extra header ${shown} is not of the form Name: value`);
    if (!isHeaderValue(value)) return refused(`the extra header ${name} has a control character`);
    if (FORBIDDEN.has(name.toLowerCase()) || name.toLowerCase().startsWith('proxy-'))
      return refused(`the extra header ${name} may not be set`);
    headers.push([name, value]);
  }
  if (headers.length > MAX_LINES) return refused(`there are more than ${String(MAX_LINES)} extra headers`);
  return { ok: true, headers };
}
