import { PersistentMap } from '../../../kernel/persistent-map.ts';

const MAP = '$map';
const SET = '$set';
const PERSISTENT = '$persistent';
const PLAIN = '$plain';

/** The state of a decider as JSON: plain data, maps and sets. Throws on anything else. */
export const encodeState = (state: unknown): string => JSON.stringify(toJson(state));

export const decodeState = (text: string): unknown => fromJson(JSON.parse(text));

function toJson(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    throw new TypeError(`not plain data: ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof PersistentMap) return { [PERSISTENT]: entriesOf(value) };
  if (value instanceof Map) return { [MAP]: entriesOf(value) };
  if (value instanceof Set) return { [SET]: [...value].map(toJson) };
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError(`not plain data: ${value.constructor.name}`);
  const members = Object.entries(value).map(([name, member]) => [name, toJson(member)] as const);
  // A name that users chose must not be taken for a tag.
  return members.some(([name]) => name.startsWith('$') || name === '__proto__') ? { [PLAIN]: members } : Object.fromEntries(members);
}

const entriesOf = (map: Iterable<readonly [unknown, unknown]>): unknown[] =>
  Array.from(map, ([key, value]) => [toJson(key), toJson(value)]);

type Pairs = readonly (readonly [string, unknown])[];

function fromJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromJson);
  const [[tag, tagged] = ['', null]] = Object.entries(value);
  // Casts: a tag was written with what `toJson` put behind it.
  if (tag === SET) return new Set((tagged as readonly unknown[]).map(fromJson));
  if (tag === MAP) return new Map(decoded(tagged as Pairs));
  if (tag === PERSISTENT) return PersistentMap.from(decoded(tagged as Pairs));
  return Object.fromEntries(decoded(tag === PLAIN ? (tagged as Pairs) : Object.entries(value)));
}

const decoded = (pairs: Pairs): [string, unknown][] => pairs.map(([key, value]) => [fromJson(key) as string, fromJson(value)]);
