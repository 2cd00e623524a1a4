import { isSealed } from '../../kernel/sentence.ts';

/** The fields of a compared object by name. */
export type ComparedFields = Readonly<Record<string, unknown>>;

/** Objects by path, such as `project` or `tests/<id>`. */
export type FieldsByPath = ReadonlyMap<string, ComparedFields>;

export interface Difference {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Compares field by field. An object that was created or deleted is one difference, with null where it did not exist. */
export function differences(from: FieldsByPath, to: FieldsByPath): readonly Difference[] {
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((path) => ofThing(path, from.get(path), to.get(path)));
}

function ofThing(path: string, from: ComparedFields | undefined, to: ComparedFields | undefined): readonly Difference[] {
  if (from === undefined || to === undefined) return from === to ? [] : [{ path, from: from ?? null, to: to ?? null }];
  return fieldDifferences(from, to, `${path}.`);
}

/** `above`: the path of the object, with a dot at its end. */
export function fieldDifferences(from: ComparedFields, to: ComparedFields, above = ''): readonly Difference[] {
  const names = [...Object.keys(from), ...Object.keys(to).filter((name) => !Object.hasOwn(from, name))];
  return names.filter((name) => from[name] !== to[name]).flatMap((name) => ofField(`${above}${name}`, from[name], to[name]));
}

function ofField(path: string, from: unknown, to: unknown): readonly Difference[] {
  if (isFields(from) && isFields(to)) return fieldDifferences(from, to, `${path}.`);
  return same(from, to) ? [] : [{ path, from: from ?? null, to: to ?? null }];
}

/** Lists and sealed secrets are compared as one value. */
const isFields = (value: unknown): value is ComparedFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isSealed(value);

const same = (from: unknown, to: unknown): boolean => from === to || JSON.stringify(from ?? null) === JSON.stringify(to ?? null);
