import { isObject } from '../../../kernel/is-object.ts';

/** JSON merge patch (RFC 7396): null removes, objects are merged, everything else replaces. A missing body changes nothing. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (patch === undefined) return target;
  if (!isObject(patch)) return patch;
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Whether a patch removes a member. */
export const removes = (patch: unknown): patch is object => isObject(patch) && Object.values(patch).includes(null);

/**
 * A merge patch as the partial change of a PUT whose missing members stay, so that two patches of different members never undo each other: a member that
 * the patch removes gets its initial value. What has none stays null, and is refused or ignored as in a PUT.
 */
export function withInitial(patch: unknown, initial: object): unknown {
  if (patch === undefined) return {};
  if (!isObject(patch)) return patch;
  return Object.fromEntries(
    Object.entries(patch).map(([name, value]) => {
      const own: unknown = Object.hasOwn(initial, name) ? initial[name as keyof typeof initial] : undefined;
      if (own === undefined) return [name, value];
      return [name, value === null ? own : isObject(own) ? withInitial(value, own) : value];
    }),
  );
}
