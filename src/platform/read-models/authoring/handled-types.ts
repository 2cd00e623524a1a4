import { catalogue, isKnown } from '../../../events.ts';

/** Checked at run time for authors who write JavaScript or run before they compile. */
export function handledTypes(name: string, on: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  for (const [type, handler] of Object.entries(on)) {
    if (!isKnown(type)) throw new Error(`projection ${name}: "${type}" is not an event type${suggestionFor(type)}`);
    if (typeof handler !== 'function') throw new Error(`projection ${name}: its handler of ${type} must be a function`);
  }
  const types = Object.keys(on);
  if (types.length === 0) throw new Error(`projection ${name}: "on" handles no event, so its tables would stay empty`);
  return new Set(types);
}

function suggestionFor(unknown: string): string {
  const similarity = (type: string): number =>
    pairs(type).filter((pair) => pairs(unknown).includes(pair)).length / Math.max(type.length, 1);
  const [best] = Object.keys(catalogue).toSorted((left, right) => similarity(right) - similarity(left));
  return best === undefined || similarity(best) < 0.4 ? '' : `; did you mean ${best}?`;
}

/** Pairs of adjacent letters, a similarity that tolerates typos. */
const pairs = (text: string): readonly string[] =>
  Array.from(text.toLowerCase(), (letter, index) => letter + text.charAt(index + 1).toLowerCase());
