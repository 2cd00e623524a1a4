import { catalogue, isKnown } from '../../events.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { nearestName } from '../../kernel/nearest-name.ts';

/** Refuses a type that no event has; `param` names where it was given. */
export function requireKnownTypes(types: readonly string[], param: string): void {
  for (const type of types)
    if (!isKnown(type)) {
      const near = nearestName(type, Object.keys(catalogue));
      throw new InvalidInput(`${param}: there is no event ${type}${near === null ? '' : `; did you mean ${near}?`}`);
    }
}
