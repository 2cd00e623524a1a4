/** What canonical JSON cannot hold: a number that is not finite, half of a surrogate pair, a value that is not JSON. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
}

const LONE_SURROGATE = /\p{Cs}/u;

interface Options {
  /** RFC 8785 refuses text that is not Unicode. A log may hold such text already; there it is kept as an escape, so that one bad title cannot stop the seal. */
  readonly loneSurrogates?: 'refuse' | 'escape';
}

/** RFC 8785: no white space, members sorted by UTF-16 code units, numbers and strings as ECMAScript writes them. */
export function canonicalJson(value: unknown, { loneSurrogates = 'refuse' }: Options = {}): string {
  const text = (part: string): string => {
    if (loneSurrogates === 'refuse' && LONE_SURROGATE.test(part)) throw new NotCanonical('text with half of a surrogate pair');
    return JSON.stringify(part);
  };
  const write = (part: unknown): string => {
    if (typeof part === 'string') return text(part);
    if (typeof part === 'number') return finite(part);
    if (part === null || typeof part === 'boolean') return String(part);
    if (Array.isArray(part)) return `[${part.map(write).join(',')}]`;
    if (isObject(part)) return `{${members(part)}}`;
    throw new NotCanonical(`a value of type ${typeof part}`);
  };
  const members = (object: Readonly<Record<string, unknown>>): string => {
    let list = '';
    for (const key of Object.keys(object).sort()) {
      const member = object[key];
      if (member === undefined) continue;
      list += `${list === '' ? '' : ','}${text(key)}:${write(member)}`;
    }
    return list;
  };
  return write(value);
}

function finite(value: number): string {
  if (!Number.isFinite(value)) throw new NotCanonical(String(value));
  return JSON.stringify(value);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
