import { isObject } from '../kernel/is-object.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** What sites of the given files have in common, by name. */
export type Templates = ReadonlyMap<string, Mapping>;

/** A chain of templates that leads back to itself, or a name that no template has. */
export class TemplateProblem extends Error {
  override readonly name = 'TemplateProblem';
}

/** The templates of a document; null: it is none that has any. */
export const templatesIn = (document: unknown): Mapping | null =>
  isObject(document) && isObject(document['templates']) ? document['templates'] : null;

/** The document with what it extends: mappings merge, lists of objects merge by key or name, other lists are replaced, and null removes. */
export function extended(document: Mapping, templates: Templates): Mapping {
  const { templates: _, ...site } = document;
  return site['extends'] === undefined ? site : withoutNulls(resolved(site, templates, []));
}

function resolved({ extends: given, ...own }: Mapping, templates: Templates, above: readonly string[]): Mapping {
  const names = given === undefined ? [] : Array.isArray(given) ? given : [given];
  const bases = names.map((name: unknown) => {
    if (typeof name !== 'string') throw new TemplateProblem('must be the name of a template, or a list of names');
    if (above.includes(name)) throw new TemplateProblem(`${[...above, name].join(' extends ')}: this never ends`);
    const template = templates.get(name);
    if (template === undefined) {
      const known = [...templates.keys()].join(', ');
      throw new TemplateProblem(`no template has the name ${name}${known === '' ? '' : `; there are ${known}`}`);
    }
    return resolved(template, templates, [...above, name]);
  });
  return [...bases, own].reduce(merged, {});
}

const merged = (base: Mapping, over: Mapping): Mapping => ({
  ...base,
  ...Object.fromEntries(Object.entries(over).map(([name, value]) => [name, mergedValue(base[name], value)])),
});

function mergedValue(base: unknown, over: unknown): unknown {
  if (isObject(base) && isObject(over)) return merged(base, over);
  return isNamedList(base) && isNamedList(over) ? mergedList(base, over) : over;
}

const identityOf = ({ key, name }: Mapping): unknown => key ?? name;

const isNamedList = (value: unknown): value is readonly Mapping[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && typeof identityOf(item) === 'string');

/** Those of the base first, in its order. */
function mergedList(base: readonly Mapping[], over: readonly Mapping[]): readonly Mapping[] {
  const left = new Map(over.map((item) => [identityOf(item), item]));
  const kept = base.map((item) => {
    const other = left.get(identityOf(item));
    left.delete(identityOf(item));
    return other === undefined ? item : merged(item, other);
  });
  return [...kept, ...left.values()];
}

const withoutNulls = (value: Mapping): Mapping =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === null ? [] : [[name, isObject(inner) ? withoutNulls(inner) : withoutNullsInside(inner)]],
    ),
  );

const withoutNullsInside = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item: unknown) => (isObject(item) ? withoutNulls(item) : item)) : value;
