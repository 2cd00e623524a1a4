import { catalogue, isKnown } from '../../domain/events.ts';

/** The compiler knows the events; who writes JavaScript, or runs before compiling, is told here. */
export function handledTypes(name: string, on: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  for (const [type, handler] of Object.entries(on)) {
    if (!isKnown(type)) throw new Error(`projection ${name}: there is no event ${type}${nearest(type)}`);
    if (typeof handler !== 'function') throw new Error(`projection ${name}: its handler of ${type} is no function`);
  }
  const types = Object.keys(on);
  if (types.length === 0) throw new Error(`projection ${name}: "on" handles no event, so nothing would ever be shown`);
  return new Set(types);
}

function nearest(wrong: string): string {
  const shared = (type: string): number => pairs(type).filter((pair) => pairs(wrong).includes(pair)).length / Math.max(type.length, 1);
  const [best] = Object.keys(catalogue).toSorted((left, right) => shared(right) - shared(left));
  return best === undefined || shared(best) < 0.4 ? '' : `; is it ${best}?`;
}

/** Two letters at a time: enough to find what was meant by a slip. */
const pairs = (text: string): readonly string[] =>
  Array.from(text.toLowerCase(), (letter, index) => letter + text.charAt(index + 1).toLowerCase());
