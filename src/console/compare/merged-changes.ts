import type { Schemas } from '../../client.ts';

export type ShownChange = Schemas['Difference'];

/** Pages of a comparison, each about the time after the one before, as one about the whole time: what changed back is no difference. */
export function mergedChanges(pages: readonly (readonly ShownChange[])[]): readonly ShownChange[] {
  const byPath = new Map<string, ShownChange>();
  for (const change of pages.flat()) {
    const before = byPath.get(change.path);
    byPath.set(change.path, before === undefined ? change : { ...change, from: before.from, events: [...before.events, ...change.events] });
  }
  return [...byPath.values()].filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}
