/** A value without canonical JSON form: a non-finite number, a lone surrogate, a value that is not JSON. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
}

interface Options {
  /** RFC 8785 refuses lone surrogates. The log may hold them already and escapes them, so that one bad title cannot stop sealing. */
  readonly loneSurrogates?: 'refuse' | 'escape';
}

/** RFC 8785: no white space, members sorted by UTF-16 code units, numbers and strings as ECMAScript writes them. */
export function canonicalJson(value: unknown, { loneSurrogates = 'refuse' }: Options = {}): string {
  return write(value, loneSurrogates === 'refuse');
}

function write(value: unknown, strict: boolean): string {
  if (typeof value === 'string') return text(value, strict);
  if (typeof value === 'number') return finite(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, strict)).join(',')}]`;
  if (isObject(value)) return `{${members(value, strict)}}`;
  throw new NotCanonical(`a value of type ${typeof value}`);
}

function members(object: Readonly<Record<string, unknown>>, strict: boolean): string {
  let list = '';
  for (const key of Object.keys(object).sort()) {
    const member = object[key];
    if (member === undefined) continue;
    list += `${list === '' ? '' : ','}${text(key, strict)}:${write(member, strict)}`;
  }
  return list;
}

/** ASCII that needs no escape, which is nearly everything. */
const PLAIN = /^[ !#-[\]-~]*$/;
const LONE_SURROGATE = /\p{Cs}/u;

function text(value: string, strict: boolean): string {
  if (PLAIN.test(value)) return `"${value}"`;
  if (strict && LONE_SURROGATE.test(value)) throw new NotCanonical('text with a lone surrogate');
  return JSON.stringify(value);
}

function finite(value: number): string {
  if (!Number.isFinite(value)) throw new NotCanonical(String(value));
  return JSON.stringify(value);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
