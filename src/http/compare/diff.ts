import { isSealed } from '../history/sentences/sentence.ts';

/** A thing that is compared: its fields by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** Things by path, such as `project` or `tests/<id>`. */
export type Things = ReadonlyMap<string, Fields>;

export interface Difference {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What differs, field by field. What came or went differs as a whole: its path alone, and null where it was not. */
export function differences(from: Things, to: Things): readonly Difference[] {
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((path) => ofThing(path, from.get(path), to.get(path)));
}

function ofThing(path: string, from: Fields | undefined, to: Fields | undefined): readonly Difference[] {
  if (from === undefined || to === undefined) return from === to ? [] : [{ path, from: from ?? null, to: to ?? null }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) => ofField(`${path}.${name}`, from[name], to[name]));
}

function ofField(path: string, from: unknown, to: unknown): readonly Difference[] {
  if (isFields(from) && isFields(to)) return ofThing(path, from, to);
  return same(from, to) ? [] : [{ path, from: from ?? null, to: to ?? null }];
}

/** A list is one value: which of its places an element moved to says little. So is a secret, which is never looked into. */
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isSealed(value);

const same = (from: unknown, to: unknown): boolean => from === to || JSON.stringify(from ?? null) === JSON.stringify(to ?? null);
