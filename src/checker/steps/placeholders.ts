import { isUrl } from '../../kernel/url.ts';
import { isHeaderValue } from '../../projects/checks/extra-headers.ts';
import type { HeaderLine } from '../probe/outcome.ts';

/** Values by name; texts in which other names stand are left as they are. */
export type Values = ReadonlyMap<string, string>;

const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_]{0,39})\}\}/g;
const MAX_URL = 8 * 1024;
const MAX_HEADERS = 16 * 1024;
const MAX_BODY = 64 * 1024;

/** A value does not fit where it is used. */
export class UnusableValue extends Error {}

const replaced = (text: string, values: Values, encode: (value: string) => string): string =>
  text.replace(PLACEHOLDER, (whole, name: string) => {
    const value = values.get(name);
    return value === undefined ? whole : encode(value);
  });

const absolute = (text: string, base: string): string => (isUrl(text, base) ? new URL(text, base).href : text);

/** Values are encoded, and cannot lead to another path: `..` as a part of it is refused. */
export function urlWith(text: string, base: string, values: Values): string {
  if (values.size === 0) return absolute(text, base);
  const url = absolute(replaced(text, values, encodeURIComponent), base);
  const plain = absolute(
    replaced(text, values, () => 'x'),
    base,
  );
  if (url.length > MAX_URL) throw new UnusableValue('the url would be longer than 8 KiB');
  if (placeOf(url) !== placeOf(plain)) throw new UnusableValue('a value would lead to another path');
  return url;
}

/** Origin and depth. */
function placeOf(url: string): string {
  if (!isUrl(url)) return '';
  const { origin, pathname } = new URL(url);
  return `${origin} ${String(pathname.split('/').length)}`;
}

/** A value with a line end or another control character is refused, so it cannot add a header. */
export function headersWith(headers: readonly HeaderLine[], values: Values): readonly HeaderLine[] {
  if (values.size === 0) return headers;
  const lines = headers.map(([name, text]): HeaderLine => [name, replaced(text, values, (value) => value)]);
  if (lines.some(([, value]) => !isHeaderValue(value)))
    throw new UnusableValue('a value has a control character, which a header cannot carry');
  if (lines.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MAX_HEADERS)
    throw new UnusableValue('the headers would be longer than 16 KiB');
  return lines;
}

/** Values are written as text of the format, so that they cannot add members, parameters or elements. */
export function bodyWith(text: string, contentType: string, values: Values): string {
  if (values.size === 0) return text;
  const body = replaced(text, values, encodingOf(contentType));
  if (Buffer.byteLength(body) > MAX_BODY) throw new UnusableValue('the body would be longer than 64 KiB');
  return body;
}

function encodingOf(contentType: string): (value: string) => string {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (/[/+]json$/.test(type)) return (value) => JSON.stringify(value).slice(1, -1);
  if (type === 'application/x-www-form-urlencoded') return encodeURIComponent;
  if (/[/+]xml$|^text\/html$/.test(type))
    return (value) => value.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
  return (value) => value;
}
