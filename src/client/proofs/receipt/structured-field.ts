import { base64Of, bytesOfBase64 } from '../base64.ts';

/** A bare item of RFC 8941: a string, an integer, a boolean, a token or bytes. Decimals are not supported: no field that is read here has one. */
export type BareItem = string | number | boolean | Token | Uint8Array;

export class Token {
  constructor(readonly name: string) {}
}

export type Params = ReadonlyMap<string, BareItem>;

export interface Item {
  readonly value: BareItem;
  readonly params: Params;
}

export interface InnerList {
  readonly items: readonly Item[];
  readonly params: Params;
}

export type Dictionary = ReadonlyMap<string, Item | InnerList>;

export const isInnerList = (member: Item | InnerList): member is InnerList => 'items' in member;

/** A Dictionary (RFC 8941, section 4.2.2); null where the text is none. */
export function parseDictionary(text: string): Dictionary | null {
  try {
    return new FieldParser(text).dictionary();
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

class Malformed extends Error {}

const KEY = /[a-z*][a-z0-9_.*-]*/y;
const STRING = /"(?:[ !#-[\]-~]|\\["\\])*"/y;
const INTEGER = /-?\d{1,15}(?![\d.])/y;
const BOOLEAN = /\?[01]/y;
const BYTES = /:[A-Za-z0-9+/=]*:/y;
const TOKEN = /[A-Za-z*][\w!#$%&'*+.^`|~:/-]*/y;
const SPACES = / */y;
/** Optional white space. */
const OWS = /[ \t]*/y;

class FieldParser {
  #at = 0;

  constructor(private readonly text: string) {}

  dictionary(): Dictionary {
    const members = new Map<string, Item | InnerList>();
    this.#read(SPACES);
    while (this.#at < this.text.length) {
      const key = this.#need(KEY);
      // Without a value it is true.
      members.set(key, this.#take('=') ? this.#member() : { value: true, params: this.#params() });
      this.#read(OWS);
      if (this.#at === this.text.length) break;
      if (!this.#take(',')) throw new Malformed();
      this.#read(OWS);
      if (this.#at === this.text.length) throw new Malformed();
    }
    return members;
  }

  #member(): Item | InnerList {
    if (!this.#take('(')) return this.#item();
    const items: Item[] = [];
    for (;;) {
      const space = this.#read(SPACES);
      if (this.#take(')')) return { items, params: this.#params() };
      if (items.length > 0 && space === '') throw new Malformed();
      items.push(this.#item());
    }
  }

  #item(): Item {
    return { value: this.#bareItem(), params: this.#params() };
  }

  #params(): Params {
    const params = new Map<string, BareItem>();
    while (this.#take(';')) {
      this.#read(SPACES);
      const key = this.#need(KEY);
      params.set(key, this.#take('=') ? this.#bareItem() : true);
    }
    return params;
  }

  #bareItem(): BareItem {
    const string = this.#read(STRING);
    if (string !== null) return string.slice(1, -1).replace(/\\(.)/g, '$1');
    const integer = this.#read(INTEGER);
    if (integer !== null) return Number(integer);
    const boolean = this.#read(BOOLEAN);
    if (boolean !== null) return boolean === '?1';
    const token = this.#read(TOKEN);
    if (token !== null) return new Token(token);
    const bytes = bytesOfBase64(this.#need(BYTES).slice(1, -1));
    if (bytes === undefined) throw new Malformed();
    return bytes;
  }

  #take(character: string): boolean {
    if (this.text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #need(pattern: RegExp): string {
    const found = this.#read(pattern);
    if (found === null) throw new Malformed();
    return found;
  }

  #read(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }
}

/** What a field cannot hold, such as a string with a line feed. */
export class NotSerializable extends Error {
  override readonly name = 'NotSerializable';
}

const PRINTABLE = /^[ -~]*$/;

export function serializeBareItem(value: BareItem): string {
  if (typeof value === 'boolean') return value ? '?1' : '?0';
  if (typeof value === 'number') return String(value);
  if (value instanceof Token) return value.name;
  if (value instanceof Uint8Array) return `:${base64Of(value)}:`;
  if (!PRINTABLE.test(value)) throw new NotSerializable('a string of a field must be printable ASCII');
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

export const serializeParams = (params: Params): string =>
  [...params].map(([key, value]) => (value === true ? `;${key}` : `;${key}=${serializeBareItem(value)}`)).join('');

const serializeItem = ({ value, params }: Item): string => `${serializeBareItem(value)}${serializeParams(params)}`;

export const serializeInnerList = ({ items, params }: InnerList): string =>
  `(${items.map(serializeItem).join(' ')})${serializeParams(params)}`;

export const serializeDictionary = (members: Dictionary): string =>
  [...members]
    .map(([key, member]) => {
      if (isInnerList(member)) return `${key}=${serializeInnerList(member)}`;
      return member.value === true ? `${key}${serializeParams(member.params)}` : `${key}=${serializeItem(member)}`;
    })
    .join(', ');
