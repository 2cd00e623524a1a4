import { nearestName } from '../../../kernel/nearest-name.ts';
import { FoundProblems, InvalidInput } from '../../../kernel/errors.ts';
import { propertiesOf, type Schema } from '../description/schema.ts';

/** The wanted members; null for the whole value. */
export type WantedFields = ReadonlyMap<string, WantedFields | null>;

/** `id,status.status`: names of members, those of members by a dot. */
export function readWantedFields(names: readonly string[], item: Schema): WantedFields {
  const wanted = new Map<string, WantedFields | null>();
  const found = new FoundProblems();
  for (const name of names)
    found.read(() => {
      addField(wanted, name.trim().split('.'), item, name.trim());
    });
  found.refuse();
  return wanted;
}

type Fields = Map<string, WantedFields | null>;

function addField(wanted: Fields, [first = '', ...rest]: readonly string[], schema: Schema, whole: string): void {
  const known = propertiesOf(schema);
  const member = Object.hasOwn(known, first) ? known[first] : undefined;
  if (member === undefined) throw new InvalidInput(`fields: ${unknownField(first, whole, Object.keys(known))}`);
  const present = wanted.get(first);
  if (rest.length === 0) wanted.set(first, null);
  else if (present !== null) {
    // Cast: only this function makes them.
    const below = (present as Fields | undefined) ?? new Map<string, WantedFields | null>();
    addField(below, rest, member, whole);
    wanted.set(first, below);
  }
}

function unknownField(name: string, whole: string, known: readonly string[]): string {
  const parent = whole.includes('.') ? whole.slice(0, whole.length - name.length) : '';
  const nearest = nearestName(name, known);
  const hint =
    nearest !== null
      ? `did you mean "${parent}${nearest}"?`
      : known.length === 0
        ? 'it has no fields'
        : `known fields are ${known.join(', ')}`;
  return `"${whole.slice(0, 60)}" is not a field of this list; ${hint}`;
}

/** The wanted members of a value, and of the items of an array. */
export function pickFields(value: unknown, wanted: WantedFields): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => pickFields(one, wanted));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const below = wanted.get(name);
    return below === undefined ? [] : [[name, below === null ? member : pickFields(member, below)]];
  });
  return Object.fromEntries(members);
}
